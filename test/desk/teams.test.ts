import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../src/desk/server/mentions.js';
import { type AgentClient, eventually, listen } from './agent-client.js';
import { goOnline, holds, setRules, summaryOf } from './assignment-desk.js';
import { deskWithHandoff } from './desk-environment.js';

const TEAMS = [{ id: 'night', name: 'Night shift', members: ['bob', 'cleo'] }];

/** A desk with the administrator `root`, the agents `ann`, `bob` and `cleo`, a team and a waiting conversation. */
async function deskWithTeam() {
  const desk = await deskWithHandoff({ stored: true });
  const root = await desk.instance.agent('root', 'administrator');
  const bob = await desk.instance.agent('bob', 'agent');
  const cleo = await desk.instance.agent('cleo', 'agent');
  expect((await root.send('PUT', '/api/teams', { teams: TEAMS, version: 0 })).status).toBe(200);
  return { ...desk, root, bob, cleo };
}

const note = (agent: AgentClient, id: string, text: string, messageId = text) =>
  agent.act(id, 'note', { messageId, text });

describe('a team', () => {
  it('gets a conversation, which any of its agents can claim', async () => {
    const { instance, ann, bob, id } = await deskWithTeam();
    await ann.act(id, 'claim', {});
    const { body } = await ann.act(id, 'pass', { team: 'night' });
    expect(body).toMatchObject({ state: 'waiting', agent: null, team: 'night' });
    expect((await bob.act(id, 'claim', {})).body).toMatchObject({ agent: 'bob', team: 'night' });
    const events = (await ann.conversation(id)).entries.map(({ event }) => event);
    expect(events).toContainEqual({ type: 'passed', agent: 'ann', team: 'night', name: 'Night shift' });
    expect((await instance.audit()).find(({ action }) => action === 'pass')).toMatchObject({
      agent: 'ann',
      detail: 'to Night shift',
      before: { agent: 'ann', team: null },
      after: { agent: null, team: 'night' },
    });
    expect((await bob.state()).teams).toEqual(TEAMS);
  });

  it('cannot be given a conversation of another agent without the role for it, and must exist', async () => {
    const { ann, bob, id } = await deskWithTeam();
    await ann.act(id, 'claim', {});
    expect(await bob.act(id, 'pass', { team: 'night' })).toMatchObject({ status: 403 });
    expect(await ann.act(id, 'pass', { team: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'NO_SUCH_TEAM' },
    });
    expect((await summaryOf(ann, id)).agent).toBe('ann');
    await ann.act(id, 'close', {});
    expect(await ann.act(id, 'pass', { team: 'night' })).toMatchObject({ body: { code: 'CLOSED' } });
  });

  it('shares it out by the rules', async () => {
    const { instance, root, ann, cleo, id } = await deskWithTeam();
    await setRules(root, { method: 'roundRobin' });
    await goOnline(instance.url, ann);
    await holds(root, id, 'ann');
    await ann.act(id, 'pass', { team: 'night' });
    await goOnline(instance.url, cleo);
    await holds(root, id, 'cleo');
  });
});

describe('a mention', () => {
  it('reaches the agent, once, and is read by them', async () => {
    const { instance, ann, bob, id } = await deskWithTeam();
    const stream = await listen(instance.url, bob.cookie);
    expect((await note(ann, id, '@bob, can you look?')).status).toBe(200);
    // The same request again.
    await note(ann, id, '@bob, can you look?');
    await note(ann, id, 'Also @BOB!');
    await eventually(() =>
      expect(stream.entries.flatMap(({ event }) => (event.type === 'note' ? [event.mentions] : []))).toEqual([
        ['bob'],
        ['bob'],
      ]),
    );
    stream.close();
    expect((await summaryOf(bob, id)).mentions).toEqual({ bob: { count: 2, read: 0 } });
    // One arrived after the page had shown the first.
    await bob.act(id, 'read', { customerMessages: 0, mentions: 1 });
    expect((await summaryOf(bob, id)).mentions).toEqual({ bob: { count: 2, read: 1 } });
    await bob.act(id, 'read', { customerMessages: 0, mentions: 99 });
    await bob.act(id, 'read', { customerMessages: 0 });
    expect((await summaryOf(bob, id)).mentions).toEqual({ bob: { count: 2, read: 2 } });
  });

  it('of a team reaches its members, except the author', async () => {
    const { bob, id } = await deskWithTeam();
    await note(bob, id, 'Handover for the @night shift.');
    expect((await summaryOf(bob, id)).mentions).toEqual({ cleo: { count: 1, read: 0 } });
  });

  it('is found after many later conversations were closed', async () => {
    const { bench, ann, bob, id } = await deskWithTeam();
    await note(ann, id, 'For @bob');
    await ann.act(id, 'claim', {});
    await ann.act(id, 'close', {});
    for (let count = 0; count < 51; count += 1) {
      const later = await ann.idOf((await bench.requestHandoff({ user: { userId: `user ${count}` } })).id);
      await ann.act(later, 'claim', {});
      await ann.act(later, 'close', {});
    }
    const listed = async (agent: AgentClient) =>
      (await agent.state()).conversations.some((each) => each.id === id);
    expect([await listed(bob), await listed(ann)]).toEqual([true, false]);
  }, 120_000);

  it('is a name or login name behind an at sign', () => {
    const agents = [
      { id: 'ann', name: 'Ann', role: 'agent' },
      { id: 'ann.lee', name: 'Ann Lee', role: 'agent' },
      { id: 'xm', name: '小明', role: 'agent' },
      { id: 'o-1', name: 'Olga', role: 'agent' },
      { id: 'o-2', name: 'Olga', role: 'agent' },
    ] as const;
    const teams = [{ id: 't', name: 'Returns', members: ['ann', 'removed'] }];
    const find = (text: string) => mentionsIn(text, agents, teams);
    expect(find('@Ann please')).toEqual(['ann']);
    expect(find('(@ann lee) and @Ann.')).toEqual(['ann', 'ann.lee']);
    expect(find('@ann.lee')).toEqual(['ann.lee']);
    expect(find('请@小明看一下')).toEqual(['xm']);
    expect(find('@Olga')).toEqual(['o-1', 'o-2']);
    expect(find('@o-2')).toEqual(['o-2']);
    expect(find('@returns')).toEqual(['ann']);
    expect(find('mail@ann.example, @Annabel, Ann, @')).toEqual([]);
  });
});
