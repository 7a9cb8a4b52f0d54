import { expect, it } from 'vitest';
import { CALL } from '../../fixtures/adapter-session.js';
import { setUp } from './support.js';

it('lists replies and the close of a conversation, and nothing that is older', async () => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  fake.agent.reply(ref.externalId, 'It is in Lyon.');
  fake.agent.close(ref.externalId);
  const all = (await adapter.catchUp?.(ref, new Date(0), CALL)) ?? [];
  expect(all).toMatchObject([
    { kind: 'message', text: 'It is in Lyon.', author: { kind: 'agent' } },
    { kind: 'closed' },
  ]);
  expect(await adapter.catchUp?.(ref, new Date(Date.now() + 60_000), CALL)).toEqual([]);
});
