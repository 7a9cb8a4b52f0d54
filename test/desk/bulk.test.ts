import { describe, expect, it } from 'vitest';
import type { BulkAction, BulkResult } from '../../src/desk/api.js';
import { type AgentClient, eventually } from './agent-client.js';
import { deskWithHandoff } from './desk-environment.js';

/** A desk with three waiting conversations and the agents `ann`, a supervisor, and `bob`, an agent. */
async function deskWithThree() {
  const { bench, instance, ann, id: first } = await deskWithHandoff({ stored: true });
  const bob = await instance.agent('bob', 'agent');
  const second = await ann.idOf((await bench.requestHandoff({ user: { userId: 'john' } })).id);
  const third = await ann.idOf((await bench.requestHandoff({ user: { userId: 'kim' } })).id);
  return { bench, instance, ann, bob, ids: [first, second, third] as const };
}

async function all(agent: AgentClient, action: BulkAction, ids: readonly string[], input = {}) {
  const { status, body } = await agent.send('POST', '/api/bulk', { ids, action, input });
  expect(status).toBe(200);
  const { done, failed } = body as BulkResult;
  return { done, failed: failed.map(({ id, code }) => [id, code]) };
}

describe('an action on several conversations', () => {
  it('is done to each, with a line in the audit log for each', async () => {
    const { instance, ann, ids } = await deskWithThree();
    expect(await all(ann, 'claim', [...ids, ids[0]])).toEqual({ done: ids, failed: [] });
    expect(await all(ann, 'tag', ids, { add: ['storm'], remove: [] })).toEqual({ done: ids, failed: [] });
    for (const { agent, tags } of (await ann.state()).conversations)
      expect([agent, tags]).toEqual(['ann', ['storm']]);
    expect(await all(ann, 'transfer', ids, { to: 'bob' })).toEqual({ done: ids, failed: [] });
    const actions = (await instance.audit()).map(({ action }) => action);
    for (const action of ['claim', 'tag', 'transfer'])
      expect(actions.filter((each) => each === action)).toHaveLength(3);
  });

  it('names those on which it did not work, and why', async () => {
    const { instance, ann, bob, ids } = await deskWithThree();
    const [first, second, third] = ids;
    await ann.act(first, 'claim', {});
    await ann.act(second, 'claim', {});
    await ann.act(second, 'close', {});
    expect(await all(bob, 'claim', [...ids, 'unknown'])).toEqual({
      done: [third],
      failed: [
        [first, 'TAKEN'],
        [second, 'CLOSED'],
        ['unknown', 'NOT_FOUND'],
      ],
    });
    const until = Date.now() + 3_600_000;
    expect(await all(bob, 'snooze', [first, third], { until })).toEqual({
      done: [],
      failed: [
        [first, 'NOT_YOURS'],
        [third, 'UNANSWERED'],
      ],
    });
    // The role counts for each conversation.
    expect(await all(bob, 'transfer', [first, third], { to: 'bob' })).toEqual({
      done: [third],
      failed: [[first, 'NOT_ALLOWED']],
    });
    const refused = (await instance.audit()).filter(({ action }) => action === 'refused: NOT_ALLOWED');
    expect(refused.map(({ agent, detail }) => [agent, detail])).toEqual([
      ['bob', `/api/conversations/${first}/transfer`],
    ]);
  });

  it('closes conversations at the platform', async () => {
    const { bench, ann, ids } = await deskWithThree();
    // Only the agent who has claimed a conversation can close it.
    expect(await all(ann, 'close', ids)).toEqual({ done: [], failed: ids.map((id) => [id, 'UNCLAIMED']) });
    await all(ann, 'claim', ids);
    expect((await all(ann, 'close', ids)).done).toEqual(ids);
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
  });

  it('is one of a few, on up to a hundred', async () => {
    const { ann, ids } = await deskWithThree();
    const send = (body: object) =>
      ann.send('POST', '/api/bulk', { ids, action: 'claim', input: {}, ...body });
    expect((await send({ action: 'reply', input: { messageId: 'm', text: 'Hi' } })).status).toBe(400);
    expect((await send({ ids: [] })).status).toBe(400);
    expect((await send({ ids: Array.from({ length: 101 }, (_, nth) => `${nth}`) })).status).toBe(400);
    expect(await all(ann, 'transfer', ids, { to: 7 })).toEqual({
      done: [],
      failed: ids.map((id) => [id, 'INVALID']),
    });
  });
});
