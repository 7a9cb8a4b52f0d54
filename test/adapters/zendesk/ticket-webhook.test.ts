import { describe, expect, it } from 'vitest';
import { zendesk } from '../../../src/adapters/zendesk/index.js';
import type { InboundRequest } from '../../../src/bridge/index.js';
import { routedTo, setUpAdapter } from '../../fixtures/adapter-session.js';
import {
  FAKE_TICKET_SECRET,
  FAKE_WEBHOOK_SECRET,
  startFakeZendesk,
  ticketHeaders,
} from '../../fixtures/zendesk/fake-zendesk.js';
import { fakeSettings } from '../../fixtures/zendesk/harness.js';

const settings = (url: string) => ({ ...fakeSettings(url), ticketWebhookSecret: FAKE_TICKET_SECRET });
const adapter = zendesk(settings('https://example.zendesk.com/sc'));

const BODY = JSON.stringify({ ticket: '35436', tags: 'vip handoff_conversation_5f1f0f5d premium' });
const request = (body: string, headers: Record<string, string> = ticketHeaders(body)): InboundRequest => ({
  method: 'POST',
  url: '/',
  headers,
  body: Buffer.from(body),
  receivedAt: Date.now(),
});
const parse = (payload: unknown) => adapter.parse?.(request(JSON.stringify(payload)));

describe('a webhook of a solved ticket', () => {
  it('ends the conversation that its tags name', () => {
    expect(adapter.parse?.(request(BODY))).toEqual({
      events: [
        {
          kind: 'closed',
          id: 'solved 35436',
          externalId: '5f1f0f5d',
          author: { kind: 'agent', name: null },
        },
      ],
    });
  });

  it('has no effect for a ticket that is no handoff, and is not understood in another form', () => {
    expect(parse({ ticket: '1', tags: 'vip not_handoff_conversation_5f1f0f5d' })).toEqual({ events: [] });
    expect(parse({ ticket: '1', tags: '' })).toEqual({ events: [] });
    expect(() => parse({ id: 1 })).toThrow(/README/);
  });

  it('is genuine with the signature of time and body alone', () => {
    const verify = (headers: Record<string, string>, body = BODY) => adapter.verify?.(request(body, headers));
    const right = ticketHeaders(BODY);
    const old = new Date(Date.now() - 3_600_000).toISOString();
    expect([
      verify(right),
      verify(right, '{}'),
      verify({ ...right, 'x-zendesk-webhook-signature-timestamp': old }),
      verify(ticketHeaders(BODY, 'other')),
      verify({ ...right, 'x-zendesk-webhook-signature': '?' }),
      verify(ticketHeaders(BODY, FAKE_TICKET_SECRET, old)),
      verify(ticketHeaders(BODY, FAKE_TICKET_SECRET, 'no time')),
      // The secret of the other webhooks does not open this door.
      verify({ 'x-api-key': FAKE_WEBHOOK_SECRET, 'x-zendesk-webhook-signature': 'AAAA' }),
    ]).toEqual(['genuine', 'forged', 'forged', 'forged', 'forged', 'stale', 'stale', 'forged']);
  });

  it('is refused while no secret for it is set', () => {
    const other = zendesk(fakeSettings('https://example.zendesk.com/sc'));
    expect(other.verify?.(request(BODY))).toBe('forged');
    expect(other.verify?.(request(BODY, ticketHeaders(BODY, '')))).toBe('forged');
  });
});

it('a ticket names its conversation in a tag, among those of the route', async () => {
  const { fake, open } = await setUpAdapter(await startFakeZendesk(), (url) => zendesk(settings(url)));
  const [first, second] = [await open(), await open({ ...routedTo('7'), key: 'session-2' })];
  const tagsOf = ({ externalId }: { externalId: string }) => fake.conversations.get(externalId)?.ticket;
  expect(tagsOf(first)).toEqual({
    'dataCapture.systemField.tags': `handoff_conversation_${first.externalId}`,
  });
  expect(tagsOf(second)).toMatchObject({
    'dataCapture.systemField.tags': `premium,late_parcel,department_7,handoff_conversation_${second.externalId}`,
  });
});
