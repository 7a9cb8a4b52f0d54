import { describe, expect, it } from 'vitest';
import { setUpBridge } from './setup.js';

const EVENT = {
  kind: 'message',
  externalId: 'case-1',
  author: { kind: 'agent', name: null, id: 'a-7' },
  text: 'Good morning.',
  internal: false,
  messageId: null,
} as const;

/** A handoff whose agents have ids, and names that the adapter looks up. */
async function withNames(agentName: (id: string) => Promise<string | null>) {
  const setup = await setUpBridge({ adapter: { agentName }, bridge: { agentNames: true } });
  await setup.bench.requestHandoff();
  const externalId = setup.desk.tickets[0]?.id ?? '';
  const send = (id: string) => setup.sendEvents({ ...EVENT, id, externalId });
  return { ...setup, send };
}

describe('the name of an agent whose events have an id only', () => {
  it('is looked up before the reply', async () => {
    const { bench, send } = await withNames(async (id) => `Ann ${id}`);
    expect(await send('1')).toBe(200);
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann a-7: Good morning.' });
  });

  it.each<[string, () => Promise<string | null>]>([
    ['fails', async () => Promise.reject(new Error('no'))],
    ['has no result', () => new Promise(() => undefined)],
  ])('is left out when the search %s', async (_, agentName) => {
    const { bench, send } = await withNames(agentName);
    expect(await send('1')).toBe(200);
    expect(await bench.nextReply()).toMatchObject({ text: 'Good morning.' });
  });
});
