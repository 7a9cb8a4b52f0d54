import { expect, it } from 'vitest';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { call, newSession, refOf, tsOf, withFake } from './support.js';

const textsOf = (events: readonly InboundEvent[] = []): string[] =>
  events.flatMap((event) => (event.kind === 'message' && event.author.kind === 'agent' ? [event.text] : []));

it('lists the replies of all pages of the thread, each once and in order', async () => {
  const { fake, adapter } = await withFake();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, call));
  const texts = Array.from({ length: 450 }, (_, index) => `Reply ${index}`);
  for (const text of texts) fake.postAsAgent(tsOf(ref), text);
  expect(textsOf(await adapter.catchUp?.(ref, new Date(0), call))).toEqual(texts);
});

it('lists nothing that is older', async () => {
  const { fake, adapter } = await withFake();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, call));
  fake.postAsAgent(tsOf(ref), 'earlier');
  expect(textsOf(await adapter.catchUp?.(ref, new Date(Date.now() + 60_000), call))).toEqual([]);
});
