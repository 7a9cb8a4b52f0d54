import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPlatformClient } from '../../src/client/index.js';
import type { QaPair } from '../../src/protocol/index.js';
import { deferred } from '../helpers/deferred.js';
import { serve } from '../helpers/serve.js';
import { botAt, NOWHERE, startSimulator } from '../simulator/support.js';
import { runNode } from '../standalone/program.js';
import { runCli } from './run-cli.js';

const KEY = 'the-key-of-bot-1';

async function platform() {
  const { simulator, baseUrl } = await startSimulator({ bots: [botAt(NOWHERE)] });
  const documents = () => simulator.documents().map(({ name, pairs }) => [name, pairs.length]);
  const { knowledge } = createPlatformClient({ baseUrl, apiKey: KEY });
  /** Adds a document for the test to change. */
  const addDoc = (qaList: readonly QaPair[]) =>
    knowledge.addQa({ purpose: 'QA_TEXT', name: 'Doc', qaList: [...qaList] });
  return { simulator, documents, addDoc, env: { PLATFORM_BASE_URL: baseUrl, PLATFORM_API_KEY: KEY } };
}

/** A file server: CSV with two pairs, 404 for names with "bad", and no answer for names with "slow". */
const fileServer = (onSlow: () => void = () => {}) =>
  serve((request, response) => {
    if (request.url?.includes('slow')) return onSlow();
    if (request.url?.includes('bad')) response.writeHead(404).end();
    else response.end('question,answer\nWhy?,Because.\nWhen?,Now.\n');
  });

async function file(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const list = (base: string, names: readonly string[]): string =>
  ['file_url,file_name', ...names.map((name) => `${base}/${name},${name}`)].join('\n');
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `f${index}.csv`);

describe('handoff-kit knowledge add', () => {
  it('adds pairs of flags and of a file as one document', async () => {
    const { simulator, env } = await platform();
    const pairs = await file('pairs.csv', 'Answer,Question\n"Yes, mostly",Open?\n');
    const args = ['knowledge', 'add', '--name', 'Hours', '--pair', 'How long? = 2 = two', '--pairs', pairs];
    const ended = await runCli([...args, '--knowledge-base', 'kb-1', '--json'], { env });
    expect([ended.code, ended.json()]).toMatchObject([0, { ok: true, documents: [{ doc_name: 'Hours' }] }]);
    expect(simulator.documents()).toMatchObject([
      {
        knowledgeBaseId: 'kb-1',
        purpose: 'QA_TEXT',
        pairs: [
          { question: 'How long?', answer: '2 = two' },
          { question: 'Open?', answer: 'Yes, mostly' },
        ],
      },
    ]);
  });

  it('adds pairs of JSON from standard input', async () => {
    const { documents, env } = await platform();
    const input = JSON.stringify([{ question: 'Why?', answer: 'Because.' }]);
    const ended = await runCli(['knowledge', 'add', '--name', 'Why', '--pairs', '-'], { env, input });
    expect(ended.code).toBe(0);
    expect(documents()).toEqual([['Why', 1]]);
  });

  it('adds files under their own or the given names', async () => {
    const { documents, env } = await platform();
    const { url } = await fileServer();
    const files = ['--file-url', `${url}/a%20b.csv?v=1`, '--file-url', `Prices=${url}/p.csv`];
    expect((await runCli(['knowledge', 'add', ...files], { env })).code).toBe(0);
    const source = ['--source-url', `${url}/manual.md`, '--splitter', ',', '--chunk-token', '100'];
    expect((await runCli(['knowledge', 'add', ...source], { env })).code).toBe(0);
    expect(documents()).toEqual([
      ['a b.csv', 2],
      ['Prices', 2],
      ['manual.md', 4],
    ]);
  });

  it('sends many files in groups of 20, and lists the failed ones', async () => {
    const { documents, env } = await platform();
    const { url } = await fileServer();
    const names = [...numbered(41), 'bad-1.csv', 'bad-2.csv'];
    const files = await file('files.csv', list(url, names));
    const ended = await runCli(['knowledge', 'add', '--file-list', files], { env });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe('20 of 43 files sent\n40 of 43 files sent\n43 of 43 files sent, 2 failed\n');
    expect(ended.stdout).toMatch(/^41 added:\n/);
    expect(ended.stdout).toMatch(/^2 failed, says the platform:\n {2}bad-1\.csv\n {2}bad-2\.csv$/m);
    expect(documents()).toHaveLength(41);
  });

  it('lists what was done when it is interrupted', async () => {
    const { env } = await platform();
    const reached = deferred();
    const { url } = await fileServer(reached.resolve);
    const names = [...numbered(20), 'slow.csv', ...numbered(24)];
    const files = await file('files.csv', list(url, names));
    const program = runNode(['dist/cli/main.js', 'knowledge', 'add', '--json', '--file-list', files], env);
    await reached.promise;
    program.signal('SIGINT');
    expect(await program.ended).toBe(1);
    const outcome = JSON.parse(program.stdout());
    expect(outcome).toMatchObject({ ok: false, failed: [], error: { code: 'INTERRUPTED' } });
    expect(outcome.documents).toHaveLength(20);
    expect(outcome.unknown).toHaveLength(20);
    expect(outcome.unknown[0]).toEqual({ file_url: `${url}/slow.csv`, file_name: 'slow.csv' });
    expect(outcome.notDone).toHaveLength(5);
  });

  it.each([
    [400, 40_000, { unknown: 0, notDone: 25 }],
    [500, 50_000, { unknown: 20, notDone: 5 }],
  ])('lists what was done when a group fails with %i', async (status, code, counts) => {
    let calls = 0;
    const { url } = await serve((request, response) => {
      request.resume();
      calls += 1;
      if (calls > 1) response.writeHead(status).end(JSON.stringify({ code, message: 'no' }));
      else response.end(JSON.stringify({ doc: [{ doc_id: 'd-1', doc_name: 'f0.csv' }], failed: ['f1.csv'] }));
    });
    const env = { PLATFORM_BASE_URL: url, PLATFORM_API_KEY: KEY };
    const files = await file('files.csv', list('http://files.example', numbered(45)));
    const ended = await runCli(['knowledge', 'add', '--file-list', files, '--json'], { env });
    expect(ended.code).toBe(1);
    const { documents, failed, unknown, notDone, error } = JSON.parse(ended.stdout);
    expect([documents.length, failed]).toEqual([1, ['f1.csv']]);
    expect({ unknown: unknown.length, notDone: notDone.length }).toEqual(counts);
    expect(error.message).toContain(`HTTP ${status}`);
    expect(error).toMatchObject({ platformCode: code, platformMessage: 'no' });
    expect(calls).toBe(2);
  });

  it('exits with 1 when the platform names fewer documents than files', async () => {
    const { url } = await serve((request, response) => {
      request.resume();
      response.end(JSON.stringify({ doc: [{ doc_id: 17, doc_name: null }], failed: [] }));
    });
    const env = { PLATFORM_BASE_URL: url, PLATFORM_API_KEY: KEY };
    const files = ['a', 'b', 'c'].flatMap((name) => ['--file-url', `https://files.example/${name}.csv`]);
    const shown = await runCli(['knowledge', 'add', ...files], { env });
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/^1 added:\n {2}17\n2 may be added: .*fewer documents than files/);
    const ended = await runCli(['knowledge', 'add', ...files, '--json'], { env });
    expect(ended.json()).toMatchObject({ ok: false, missing: 2, documents: [{ doc_id: '17' }] });
  });

  it('shows why the platform refuses', async () => {
    const { env } = await platform();
    const ended = await runCli(['knowledge', 'update', '--doc', 'gone', '--pair', 'a=b'], { env });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^The platform says: Parameter error: doc_id: .*document$/m);
  });

  it('accepts the list of files that were not done', async () => {
    const { documents, env } = await platform();
    const { url } = await fileServer();
    const notDone = [{ file_url: `${url}/x.csv`, file_name: 'x.csv' }];
    const ended = await runCli(['knowledge', 'add', '--file-list', '-'], {
      env,
      input: JSON.stringify(notDone),
    });
    expect(ended.code).toBe(0);
    expect(documents()).toEqual([['x.csv', 2]]);
  });

  it.each([
    [[], 'There is nothing to add'],
    [['--pair', 'q=a'], 'Give --name'],
    [['--name', 'n', '--pair', 'no answer'], '--pair number 1'],
    [['--name', 'n', '--pair', 'q=a', '--file-url', 'https://x.example/a.csv'], 'cannot go together'],
    [['--file-url', 'https://x.example/a', '--source-url', 'https://x.example/b'], 'cannot go together'],
    [['--file-url', 'ftp://x.example/a'], 'http or https URL'],
    [['--name', 'n', '--pairs', '-'], 'holds nothing'],
    [['--chunk-token', 'many'], 'Give a whole number'],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const env = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: KEY };
    const { code, stdout, stderr } = await runCli(['knowledge', 'add', ...args], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
  });

  it.each([
    ['question,answer\nWhy?,\n', 'entry 1 has no answer'],
    ['question,answer\n"Why?,Because\n', 'is not CSV'],
    ['[{"question":"Why?"}]', 'entry 1 has no answer'],
    ['[{"question":"Why?",}]', 'is not JSON'],
  ])('refuses the pairs %j', async (text, complaint) => {
    const env = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: KEY };
    const pairs = await file('pairs', text);
    const { code, stderr } = await runCli(['knowledge', 'add', '--name', 'n', '--pairs', pairs], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
  });
});

describe('handoff-kit knowledge update', () => {
  it('replaces all pairs of one document', async () => {
    const { simulator, documents, addDoc, env } = await platform();
    await addDoc([
      { question: 'a', answer: 'b' },
      { question: 'c', answer: 'd' },
    ]);
    const [document] = simulator.documents();
    const ended = await runCli(['knowledge', 'update', '--doc', document?.docId ?? '', '--pair', 'e=f'], {
      env,
    });
    expect(ended.code).toBe(0);
    expect(documents()).toEqual([['Doc', 1]]);
  });

  it('replaces documents by the files of a list', async () => {
    const { simulator, documents, addDoc, env } = await platform();
    const { url } = await fileServer();
    await addDoc([{ question: 'a', answer: 'b' }]);
    const { docId = '' } = simulator.documents()[0] ?? {};
    const rows = [
      'doc_id,source_url,file_name',
      `${docId},${url}/new.csv,new.csv`,
      `${docId},${url}/bad.csv,`,
    ];
    const ended = await runCli(
      ['knowledge', 'update', '--json', '--file-list', await file('l.csv', rows.join('\n'))],
      {
        env,
      },
    );
    expect([ended.code, ended.json()]).toMatchObject([
      1,
      { failed: ['bad.csv'], documents: [{ doc_id: docId }] },
    ]);
    expect(documents()).toEqual([['new.csv', 2]]);
  });

  it('reports a document that the platform does not know', async () => {
    const { env } = await platform();
    const ended = await runCli(['knowledge', 'update', '--doc', 'unknown-doc', '--pair', 'a=b'], {
      env,
    });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('1 not updated:\n  unknown-doc\n');
  });

  it.each([
    [['--pair', 'a=b'], 'nothing to update'],
    [['--doc', 'd'], 'nothing to update'],
    [['--doc', 'd', '--file-list', 'x.csv'], 'Leave out --doc'],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const env = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: KEY };
    const { code, stdout, stderr } = await runCli(['knowledge', 'update', ...args], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
  });
});
