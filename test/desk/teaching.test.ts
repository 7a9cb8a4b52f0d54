import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/client/index.js';
import type { TeachView } from '../../src/desk/api.js';
import { type AgentClient, statusesOf } from './agent-client.js';
import { createDeskEnvironment } from './desk-environment.js';

const teach = (agent: AgentClient, question: string, seen: number) =>
  agent.send('POST', '/api/teach', { question, answer: `${question}!`, seen });
const taught = async (agent: AgentClient): Promise<TeachView> =>
  (await agent.get<TeachView>('/api/teach')).body;

/** Answers the calls of one endpoint in place of the simulator. */
const answering =
  (body: object, path = '/qa/update'): Fetch =>
  async (url, init) =>
    url.endsWith(path) ? Response.json(body) : fetch(url, init);

describe('teaching the bot', () => {
  it('creates a document first, then sends the complete list each time', async () => {
    const { bench, start } = await createDeskEnvironment();
    const ann = await (await start()).agent('ann');
    expect(await taught(ann)).toEqual({ document: null, pairs: [] });
    expect((await teach(ann, 'When do you open?', 0)).status).toBe(200);
    expect((await teach(ann, 'Where are you?', 1)).status).toBe(200);
    // A question that was taught before gets the new answer.
    const changed = { question: 'When do you open?', answer: 'At nine.', seen: 2 };
    expect((await ann.send('POST', '/api/teach', changed)).status).toBe(200);

    const pairs = [
      { question: 'Where are you?', answer: 'Where are you?!' },
      { question: 'When do you open?', answer: 'At nine.' },
    ];
    const [document] = bench.simulator.documents();
    expect(bench.simulator.documents()).toHaveLength(1);
    expect(document?.pairs).toEqual(pairs);
    expect(await taught(ann)).toEqual({ document: { id: document?.docId, name: document?.name }, pairs });
    const calls = bench.simulator.traffic.exchanges().map(({ what }) => what);
    expect(calls.filter((what) => what === 'addQa' || what === 'updateQa')).toEqual([
      'addQa',
      'updateQa',
      'updateQa',
    ]);
  });

  it('changes and removes pairs, and keeps the last one', async () => {
    const { bench, start } = await createDeskEnvironment();
    const ann = await (await start()).agent('ann');
    await teach(ann, 'When do you open?', 0);
    await teach(ann, 'Where are you?', 1);
    const edit = { question: 'Where is your shop?', answer: 'In Lyon.', instead: 'Where are you?', seen: 2 };
    expect((await ann.send('POST', '/api/teach', edit)).status).toBe(200);
    // Another agent has changed that pair meanwhile.
    expect(await ann.send('POST', '/api/teach', edit)).toMatchObject({ body: { code: 'CHANGED' } });
    const remove = (question: string, seen: number) =>
      ann.send('POST', '/api/teach/remove', { question, seen });
    expect(await remove('When do you open?', 2)).toMatchObject({ status: 200 });
    expect(await remove('When do you open?', 1)).toMatchObject({ body: { code: 'CHANGED' } });
    expect(await remove('Where is your shop?', 1)).toMatchObject({ body: { code: 'LAST_PAIR' } });
    const pairs = [{ question: 'Where is your shop?', answer: 'In Lyon.' }];
    expect((await taught(ann)).pairs).toEqual(pairs);
    expect(bench.simulator.documents()[0]?.pairs).toEqual(pairs);
    expect((await teach(ann, 'Not locked?', 1)).status).toBe(200);
  });

  it.each(['one instance', 'two instances'])(
    'loses no pair when two agents teach at the same time, at %s',
    async (where) => {
      const { bench, start } = await createDeskEnvironment({ stored: true });
      const first = await start();
      const second = where === 'one instance' ? first : await start();
      const ann = await first.agent('ann');
      const bob = await second.agent('bob');
      await teach(ann, 'first', 0);
      const answers = await Promise.all([teach(ann, 'from Ann', 1), teach(bob, 'from Bob', 1)]);
      expect(statusesOf(answers)).toEqual([200, 409]);
      const { pairs } = await taught(bob);
      expect(pairs).toHaveLength(2);
      expect(bench.simulator.documents()[0]?.pairs).toEqual(pairs);
      const loser = answers[0]?.status === 409 ? ann : bob;
      expect((await teach(loser, 'once more', 2)).status).toBe(200);
      expect(bench.simulator.documents()[0]?.pairs).toHaveLength(3);
    },
  );

  it('keeps its list when the platform fails', async () => {
    const { bench, start } = await createDeskEnvironment();
    const instance = await start();
    const ann = await instance.agent('ann');
    await teach(ann, 'kept', 0);
    const before = await taught(ann);
    bench.faults.set('answerError', { on: ['updateQa'], times: 1 });
    expect(await teach(ann, 'refused', 1)).toMatchObject({ status: 502, body: { code: 'TEACHING_FAILED' } });
    expect(await taught(ann)).toEqual(before);
    expect((await teach(ann, 'taken', 1)).status).toBe(200);
    expect(bench.simulator.documents()[0]?.pairs.map(({ question }) => question)).toEqual(['kept', 'taken']);
    expect(instance.logged.text()).not.toContain('refused!');
  });

  it('creates the document again when it was deleted at the platform', async () => {
    const { bench, start } = await createDeskEnvironment();
    const { agent, audit, desk } = await start();
    const ann = await agent('ann');
    await teach(ann, 'one', 0);
    // The simulator has no call to delete a document: the desk gets the id of one that does not exist.
    const { value, version = 0 } = (await desk.store.get('settings', 'taught')) ?? {};
    const gone = { ...(value as TeachView), document: { id: 'doc-gone', name: 'Answers from the desk' } };
    await desk.store.write({ put: [{ kind: 'settings', id: 'taught', value: gone, version }] });
    expect((await teach(ann, 'two', 1)).status).toBe(200);
    expect((await teach(ann, 'three', 2)).status).toBe(200);

    const [, created, ...more] = bench.simulator.documents();
    expect(more).toEqual([]);
    expect(created?.pairs.map(({ question }) => question)).toEqual(['one', 'two', 'three']);
    expect(await taught(ann)).toMatchObject({ document: { id: created?.docId } });
    expect((await audit()).map(({ detail }) => detail)).toContain(
      '2 pairs, in a new document instead of doc-gone',
    );
  });

  it('creates the document again when the platform answers about none', async () => {
    const { bench, start } = await createDeskEnvironment();
    const ann = await (await start({ platform: { fetch: answering({ doc: [], failed: [] }) } })).agent('ann');
    await teach(ann, 'one', 0);
    expect((await teach(ann, 'two', 1)).status).toBe(200);
    expect(bench.simulator.documents().map(({ pairs }) => pairs.length)).toEqual([1, 2]);
  });

  it('does not count an update as done that the platform lists as failed', async () => {
    const { bench, start } = await createDeskEnvironment();
    const failed = { doc: [], failed: ['Answers from the desk'] };
    const { agent, logged } = await start({ platform: { fetch: answering(failed) } });
    const ann = await agent('ann');
    await teach(ann, 'one', 0);
    const before = await taught(ann);
    expect(await teach(ann, 'two', 1)).toMatchObject({ status: 502, body: { code: 'TEACHING_FAILED' } });
    expect(await taught(ann)).toEqual(before);
    expect(logged.text()).toContain('it lists the document as failed');
    // The second failure in a row can be a document that was deleted.
    expect((await teach(ann, 'two', 1)).status).toBe(200);
    expect(bench.simulator.documents().map(({ pairs }) => pairs.length)).toEqual([1, 2]);
  });

  it('keeps the id of a new document that the platform also lists as failed', async () => {
    const { bench, start } = await createDeskEnvironment();
    const odd = { doc: [{ doc_id: 'doc-odd', doc_name: null }], failed: ['Answers from the desk'] };
    const ann = await (await start({ platform: { fetch: answering(odd, '/qa/add') } })).agent('ann');
    expect((await teach(ann, 'one', 0)).status).toBe(502);
    expect(await taught(ann)).toEqual({
      document: { id: 'doc-odd', name: 'Answers from the desk' },
      pairs: [],
    });
    expect(bench.simulator.documents()).toEqual([]);
  });

  it('sends the complete list again after the process ended in the middle', async () => {
    const { bench, start } = await createDeskEnvironment({ stored: true });
    const instance = await start();
    const ann = await instance.agent('ann');
    await teach(ann, 'one', 0);
    // The state after a process ended between the platform's answer and storing it.
    const { store } = instance.desk;
    const doc = await store.get('settings', 'taught');
    const writeLock = (since: number, version: number) =>
      store.write({
        put: [
          {
            kind: 'settings',
            id: 'taught',
            value: { ...(doc?.value as object), lock: { agent: 'ann', since } },
            version,
          },
        ],
      });
    await writeLock(Date.now(), doc?.version ?? 0);
    expect(await teach(ann, 'two', 1)).toMatchObject({ status: 409, body: { code: 'TEACHING' } });
    await writeLock(Date.now() - 3_600_000, (doc?.version ?? 0) + 1);
    expect((await teach(ann, 'two', 1)).status).toBe(200);
    expect(bench.simulator.documents()[0]?.pairs.map(({ question }) => question)).toEqual(['one', 'two']);
  });

  it('rejects changes of a list that the agent has not seen, and empty questions', async () => {
    const { start } = await createDeskEnvironment();
    const ann = await (await start()).agent('ann');
    await teach(ann, 'one', 0);
    expect(await teach(ann, 'two', 0)).toMatchObject({ status: 409, body: { code: 'CHANGED' } });
    expect((await teach(ann, '   ', 1)).status).toBe(400);
  });
});
