import { describe, expect, it } from 'vitest';
import { zohoSalesIq } from '../../../src/adapters/zoho-salesiq/index.js';
import type { InboundEvent, InboundRequest } from '../../../src/bridge/index.js';
import { signBody } from '../../fixtures/zoho-salesiq/fake-salesiq.js';
import { fakeSettings } from '../../fixtures/zoho-salesiq/harness.js';

const adapter = zohoSalesIq(fakeSettings('https://salesiq.test'));

function webhook(payload: unknown): InboundRequest {
  const body = JSON.stringify(payload);
  const headers = { 'x-siqsignature': signBody(body) };
  return { method: 'POST', url: '/', headers, body: Buffer.from(body), receivedAt: 0 };
}
const parse = (event: string, entity: object): readonly InboundEvent[] =>
  adapter.parse?.(webhook({ event, entity_id: '42', entity })).events ?? [];
const replied = (message: object) =>
  parse('conversation.operator.replied', { message: { msgid: '7', ...message } });
const ADA = { id: '1', name: 'Ada', type: 'operator' };

describe('a webhook of Zoho SalesIQ', () => {
  it.each([null, '', {}, [null], true])('is invalid if the id of its message is %j', (msgid) => {
    expect(() => replied({ msgid, sender: ADA, text: 'Hello' })).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });

  it('brings a reply with its author', () => {
    expect(replied({ sender: ADA, text: 'Hello' })).toMatchObject([
      {
        kind: 'message',
        id: 'message 7',
        externalId: '42',
        author: { kind: 'agent', name: 'Ada' },
        text: 'Hello',
        internal: false,
        messageId: '7',
      },
    ]);
  });

  it('says that there is a file, which it cannot show', () => {
    expect(replied({ sender: ADA })).toMatchObject([{ text: '[file]' }]);
  });

  it('knows a bot', () => {
    expect(replied({ sender: { ...ADA, type: 'bot' }, text: 'Hello' })).toMatchObject([
      { author: { kind: 'system' } },
    ]);
    expect(replied({ text: 'Hello' })).toMatchObject([{ author: { kind: 'system' } }]);
  });

  it('brings an operator who takes the conversation', () => {
    expect(parse('conversation.attender.updated', { owner: ADA })).toMatchObject([
      { kind: 'joined', externalId: '42', author: { kind: 'agent', name: 'Ada' } },
    ]);
    expect(parse('conversation.attender.updated', { owner: { ...ADA, type: 'bot' } })).toEqual([]);
  });

  it('brings the end, also of a conversation that nobody took', () => {
    const ended = (ended_by: string) => parse('conversation.completed', { ended_by, end_time: '9' });
    expect(ended('agent')).toMatchObject([{ kind: 'closed', externalId: '42', author: { kind: 'agent' } }]);
    expect(ended('scheduler')).toMatchObject([{ kind: 'closed', author: { kind: 'system' } }]);
    expect(parse('conversation.missed', {})).toMatchObject([{ kind: 'closed', author: { kind: 'system' } }]);
  });

  it('has no effect if it is about something else', () => {
    expect(parse('conversation.visitor.replied', { message: { msgid: '8', text: 'Hi' } })).toEqual([]);
  });

  it('is refused without the right signature', () => {
    const genuine = webhook({ event: 'conversation.missed', entity_id: '42' });
    const verdicts = [
      genuine,
      { ...genuine, body: Buffer.from('{}') },
      { ...genuine, headers: { 'x-siqsignature': 'AAAA' } },
      { ...genuine, headers: {} },
    ].map((request) => adapter.verify?.(request));
    expect(verdicts).toEqual(['genuine', 'forged', 'forged', 'unsigned']);
  });
});
