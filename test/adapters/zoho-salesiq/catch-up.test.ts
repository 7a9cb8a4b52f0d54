import { describe, expect, it } from 'vitest';
import { zohoSalesIq } from '../../../src/adapters/zoho-salesiq/index.js';
import { setUpBridge } from '../../bridge/setup.js';
import { CALL, setUpAdapter } from '../../fixtures/adapter-session.js';
import { startFakeSalesIq } from '../../fixtures/zoho-salesiq/fake-salesiq.js';
import { fakeSettings } from '../../fixtures/zoho-salesiq/harness.js';
import { eventually } from '../../helpers/eventually.js';

const EARLIER = new Date(0);
const setUp = async () => setUpAdapter(await startFakeSalesIq(), (url) => zohoSalesIq(fakeSettings(url)));

describe('the transcript of Zoho SalesIQ', () => {
  it('lists what operators wrote, in order, and that the conversation has ended', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const { externalId } = ref;
    await adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    fake.agent.reply(externalId, 'Good morning.');
    fake.agent.botReply(externalId, 'I am a bot.');
    fake.agent.sendFile(externalId);
    fake.agent.reply(externalId, 'Bye.');
    const replies = [
      { text: 'Good morning.', author: { kind: 'agent', name: 'Ada' }, internal: false },
      { text: 'Bye.', author: { kind: 'agent', name: 'Ada' }, internal: false },
    ];
    expect(await adapter.catchUp?.(ref, EARLIER, CALL)).toMatchObject(replies);
    fake.agent.close(externalId);
    const endedAt = fake.conversations.get(externalId)?.endedAt;
    expect(await adapter.catchUp?.(ref, EARLIER, CALL)).toMatchObject([
      ...replies,
      { kind: 'closed', id: `conversation.completed ${externalId} ${endedAt}` },
    ]);
  });

  it('is read page by page, back to the time', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const texts = Array.from({ length: 50 }, (_value, index) => `Reply ${index}`);
    for (const text of texts) fake.agent.reply(ref.externalId, text);
    const { transcript = [] } = fake.conversations.get(ref.externalId) ?? {};
    for (const [index, message] of transcript.entries())
      Object.assign(message, { time: String(1_000 + index) });
    const listed = async (since: number) =>
      (await adapter.catchUp?.(ref, new Date(since), CALL))?.map((event) => 'text' in event && event.text);
    expect(await listed(0)).toEqual(texts);
    expect(await listed(1_046)).toEqual(texts.slice(45));
  });
});

describe.each([
  ['the same id', false],
  ['another id', true],
])('a reply that webhook and transcript name by %s', (_what, otherIds) => {
  /** A bridge whose webhooks the test forwards. */
  const handOver = async () => {
    const { fake, adapter } = await setUpAdapter(await startFakeSalesIq({ otherIds }), (url) =>
      zohoSalesIq(fakeSettings(url)),
    );
    const { name: _name, ...methods } = adapter;
    const setup = await setUpBridge({ adapter: methods, capabilities: adapter.capabilities });
    await setup.bench.requestHandoff();
    const [externalId = ''] = fake.conversations.keys();
    return { ...setup, fake, externalId };
  };

  it('reaches the user once, also if the close comes first', async () => {
    const { fake, externalId, url, bench, shown, bridge } = await handOver();
    fake.webhooks.url = url;
    fake.agent.reply(externalId, 'ok');
    fake.agent.reply(externalId, 'ok');
    await fake.webhooks.settled();
    fake.webhooks.url = null;
    fake.agent.reply(externalId, 'The last word.');
    fake.webhooks.url = url;
    fake.agent.close(externalId);
    await fake.webhooks.settled();
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(shown()).toEqual(['ok', 'ok', 'The last word.']);
    await bridge.close();
    expect(fake.conversations.get(externalId)?.notes).toEqual([]);
  });
});
