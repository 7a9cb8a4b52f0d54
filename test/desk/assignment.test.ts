import { describe, expect, it } from 'vitest';
import type { AssignmentRules } from '../../src/desk/api.js';
import type { AgentClient } from './agent-client.js';
import { goOnline, heldBy, holds, setRules, summaryOf } from './assignment-desk.js';
import { createDeskEnvironment, type EnvironmentOptions, type InstanceOptions } from './desk-environment.js';

/** A desk whose administrator is `root`, who is not online, with agents who are. */
async function deskWith<Name extends string>(
  names: readonly Name[],
  rules: Partial<AssignmentRules>,
  { stored, ...options }: EnvironmentOptions & InstanceOptions = {},
) {
  const { bench, start } = await createDeskEnvironment({ ...(stored && { stored }) });
  const instance = await start(options);
  const root = await instance.agent('root', 'administrator');
  await setRules(root, rules);
  const online = await Promise.all(
    names.map(
      async (name) => [name, await goOnline(instance.url, await instance.agent(name, 'agent'))] as const,
    ),
  );
  const agents = Object.fromEntries(online) as Record<Name, Awaited<ReturnType<typeof goOnline>>>;
  /** Requests a handoff; gives the desk's id of it. */
  const request = async (user?: string): Promise<string> =>
    root.idOf((await bench.requestHandoff(user === undefined ? {} : { user: { userId: user } })).id);
  return { bench, start, instance, root, agents, request };
}

const setAway = (agent: AgentClient, isAway: boolean) => agent.send('PUT', '/api/availability', { isAway });

describe('without rules', () => {
  it('conversations wait until an agent claims them', async () => {
    const { agents, request, root } = await deskWith(['ann'], {});
    const id = await request();
    await setAway(agents.ann, true);
    await setAway(agents.ann, false);
    expect(await summaryOf(root, id)).toMatchObject({
      state: 'waiting',
      agent: null,
      team: null,
      offer: null,
    });
    expect((await agents.ann.act(id, 'claim', {})).status).toBe(200);
  });
});

describe('rules assign a conversation', () => {
  it('to the available agents in turn, with a line in the timeline and in the audit log', async () => {
    const { instance, root, request } = await deskWith(['ann', 'bob', 'cleo'], { method: 'roundRobin' });
    for (const expected of ['ann', 'bob', 'cleo', 'ann', 'bob', 'cleo'])
      await holds(root, await request(), expected);
    const id = await request();
    await holds(root, id, 'ann');
    const { entries } = await root.conversation(id);
    expect(entries.map(({ event }) => event)).toEqual([
      { type: 'opened' },
      { type: 'assigned', agent: 'ann' },
    ]);
    const lines = (await instance.audit()).filter(({ action }) => action === 'assigned');
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toMatchObject({
      agent: null,
      detail: 'round robin',
      before: { state: 'waiting', agent: null },
      after: { state: 'active', agent: 'ann' },
    });
    expect(lines.at(-1)).not.toHaveProperty('from');
  });

  it('to the agent with the fewest open ones', async () => {
    const { root, agents, request } = await deskWith(['ann', 'bob'], { method: 'manual' });
    const ids = [await request(), await request(), await request()];
    for (const id of ids.slice(0, 2)) await agents.ann.act(id, 'claim', {});
    await setRules(root, { method: 'leastBusy' });
    await holds(root, ids[2] ?? '', 'bob');
    await holds(root, await request(), 'bob');
    // Both have two now.
    await request();
    await request();
    await expect.poll(() => heldBy(root), { timeout: 20_000 }).toEqual({ ann: 3, bob: 3 });
  });

  it('up to the capacity of each agent, and the next when one is closed', async () => {
    const { bench, root, agents, request } = await deskWith(['ann', 'bob'], {
      method: 'roundRobin',
      capacity: 1,
    });
    const first = await bench.requestHandoff({ user: { userId: 'one' } });
    await holds(root, await root.idOf(first.id), 'ann');
    const second = await request('two');
    await holds(root, second, 'bob');
    const third = await request('three');
    await setAway(agents.ann, false);
    expect(await heldBy(root)).toEqual({ ann: 1, bob: 1, waiting: 1 });
    await agents.bob.act(second, 'close', {});
    await holds(root, third, 'bob');
    // A customer who leaves makes room too.
    const fourth = await request('four');
    await first.closeByUser();
    await holds(root, fourth, 'ann');
  });

  it('again, when its agent is away before the first reply', async () => {
    const { instance, root, agents, request } = await deskWith(['ann', 'bob'], { method: 'roundRobin' });
    const id = await request();
    await holds(root, id, 'ann');
    await setAway(agents.ann, true);
    await holds(root, id, 'bob');
    const events = (await root.conversation(id)).entries.map(({ event }) => event.type);
    expect(events).toEqual(['opened', 'assigned', 'unassigned', 'assigned']);
    expect((await instance.audit()).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['availability', 'assignment taken back', 'assigned']),
    );
    // With nobody left it waits, and goes to the first who comes back.
    await setAway(agents.bob, true);
    await holds(root, id, null);
    expect(await summaryOf(root, id)).toMatchObject({ state: 'waiting' });
    await setAway(agents.ann, false);
    await holds(root, id, 'ann');
    // Once answered, it stays.
    await agents.ann.say(id, 'Hello.');
    await setAway(agents.bob, false);
    await setAway(agents.ann, true);
    const next = await request();
    await holds(root, next, 'bob');
    expect((await summaryOf(root, id)).agent).toBe('ann');
  });

  it('again, when its agent closes the page or is removed', async () => {
    const { instance, root, agents, request } = await deskWith(['ann', 'bob'], { method: 'roundRobin' });
    const id = await request();
    await holds(root, id, 'ann');
    agents.ann.leave();
    await holds(root, id, 'bob');
    await instance.desk.agents.remove('bob');
    await holds(root, id, null);
    await goOnline(instance.url, await instance.agent('cleo', 'agent'));
    await holds(root, id, 'cleo');
  }, 60_000);

  it('to another agent, when one gives it back', async () => {
    const { root, agents, request } = await deskWith(['ann', 'bob'], { method: 'leastBusy' });
    const id = await request();
    await holds(root, id, 'ann');
    await agents.ann.act(id, 'release', {});
    await holds(root, id, 'bob');
    await agents.bob.act(id, 'release', {});
    await setAway(agents.bob, true);
    await setAway(agents.bob, false);
    await holds(root, id, null);
    expect((await agents.ann.act(id, 'claim', {})).status).toBe(200);
  });

  it('to the team or agent for its bot', async () => {
    const { root, request } = await deskWith(['ann', 'bob', 'cleo'], { method: 'roundRobin' });
    const teams = [{ id: 'night', name: 'Night shift', members: ['bob', 'cleo'] }];
    await root.send('PUT', '/api/teams', { teams, version: 0 });
    await setRules(root, { bots: [{ bot: 'default', to: { kind: 'team', id: 'night' } }] });
    for (const expected of ['bob', 'cleo', 'bob']) await holds(root, await request(), expected);
    await setRules(root, { bots: [{ bot: 'default', to: { kind: 'agent', id: 'ann' } }] });
    for (const expected of ['ann', 'ann']) await holds(root, await request(), expected);
    // A team that was removed does not hold a conversation back.
    await setRules(root, { bots: [{ bot: 'default', to: { kind: 'team', id: 'gone' } }] });
    await holds(root, await request(), 'cleo');
  });

  it('to the team or agent that the application names as the department', async () => {
    const departments = ['NIGHT SHIFT', 'ann', 'Shipping'];
    const route = () => ({ department: departments.shift() ?? '' });
    const { root, request } = await deskWith(['ann', 'bob'], { method: 'roundRobin' }, { bridge: { route } });
    const teams = [{ id: 'night', name: 'Night shift', members: ['bob'] }];
    await root.send('PUT', '/api/teams', { teams, version: 0 });
    const first = await request();
    await holds(root, first, 'bob');
    expect(await summaryOf(root, first)).toMatchObject({ team: 'night', tags: ['NIGHT SHIFT'] });
    await holds(root, await request(), 'ann');
    // Neither a team nor an agent: a tag, and the rules for all.
    await holds(root, await request(), 'bob');
  });

  it('once, when two processes on one file look at the same time', async () => {
    const { start, instance, root, agents, request } = await deskWith(
      ['ann', 'bob'],
      { method: 'manual', capacity: 5 },
      { stored: true },
    );
    const other = await start();
    const cleo = await goOnline(other.url, await other.agent('cleo', 'agent'));
    const ids = await Promise.all(Array.from({ length: 20 }, (_, nth) => request(`user ${nth}`)));
    await setRules(root, { method: 'roundRobin' });
    await Promise.all([agents.ann, cleo].map((agent) => setAway(agent, false)));
    await expect
      .poll(() => heldBy(root), { timeout: 30_000 })
      .toEqual({ ann: 5, bob: 5, cleo: 5, waiting: 5 });
    const lines = (await instance.audit()).filter(({ action }) => action === 'assigned');
    expect(new Set(lines.map(({ conversationId }) => conversationId)).size).toBe(15);
    expect(lines).toHaveLength(15);
    expect(ids).toHaveLength(20);
  }, 60_000);
});

describe('the rules', () => {
  it('are changed by administrators, one after another, with a line in the audit log', async () => {
    const { instance, root } = await deskWith([], { method: 'leastBusy' });
    const { body } = await root.get<AssignmentRules>('/api/admin/assignment');
    expect(body).toEqual({ method: 'leastBusy', capacity: null, bots: [], version: 1 });
    const put = (change: object) => root.send('PUT', '/api/admin/assignment', { ...body, ...change });
    expect((await put({ capacity: 3 })).status).toBe(200);
    expect(await put({ capacity: 9 })).toMatchObject({ status: 409, body: { code: 'RULES_CHANGED' } });
    expect((await put({ capacity: 0 })).status).toBe(400);
    expect((await put({ method: 'random' })).status).toBe(400);
    const line = (await instance.audit()).findLast(({ action }) => action === 'assignment rules');
    expect(line).toMatchObject({ agent: 'root', before: { capacity: null }, after: { capacity: 3 } });
  });
});
