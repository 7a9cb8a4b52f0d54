import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseMarkdown } from '../../src/cli/knowledge/folder.js';
import { serve } from '../helpers/serve.js';
import { botAt, NOWHERE, startSimulator } from '../simulator/support.js';
import { runCli } from './run-cli.js';

const KEY = 'the-key-of-bot-1';
const STATE = '.handoff-knowledge.json';

const SHIPPING = '# Shipping\n\n## How long does it take?\n\nTwo days.\n\n## What does it cost?\n\n5 EUR.\n';

async function start() {
  const { simulator, baseUrl } = await startSimulator({ bots: [botAt(NOWHERE)] });
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { PLATFORM_BASE_URL: baseUrl, PLATFORM_API_KEY: KEY };
  return {
    simulator,
    folder,
    env,
    write: async (path: string, text: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    remove: (path: string) => rm(join(folder, path)),
    sync: (...flags: string[]) => runCli(['knowledge', 'sync', folder, ...flags], { env }),
    state: async () => JSON.parse(await readFile(join(folder, STATE), 'utf8')).documents,
    documents: () => simulator.documents().map(({ name, pairs }) => [name, pairs.length]),
    /** The requests about knowledge that the platform has had. */
    requests: () =>
      simulator.traffic.exchanges().filter(({ what }) => what === 'addQa' || what === 'updateQa').length,
  };
}

describe('handoff-kit knowledge sync', () => {
  it('adds each file as a document, then sends nothing until one changes', async () => {
    const { write, sync, documents, requests, simulator, state } = await start();
    await write('shipping.md', SHIPPING);
    await write('faq/opening.csv', 'question,answer\nOpen on Sunday?,No.\n');
    await write('README.md', 'For people.');
    await write('.drafts/new.md', 'not ready');
    expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining('added faq/opening.csv') });
    expect(documents()).toEqual([
      ['faq/opening', 1],
      ['Shipping', 2],
    ]);
    expect(Object.keys(await state())).toEqual(['faq/opening.csv', 'shipping.md']);

    const before = requests();
    expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining('2 unchanged') });
    expect(requests()).toBe(before);

    await write('shipping.md', SHIPPING.replace('5 EUR', '6 EUR'));
    expect((await sync('--json')).json()).toMatchObject({ ok: true, done: ['shipping.md'] });
    expect(requests()).toBe(before + 1);
    expect(simulator.documents()[1]?.pairs).toEqual([
      { question: 'How long does it take?', answer: 'Two days.' },
      { question: 'What does it cost?', answer: '6 EUR.' },
    ]);
  });

  it('shows a plan, and sends and writes nothing, with --dry-run', async () => {
    const { write, sync, requests, state } = await start();
    await write('shipping.md', SHIPPING);
    const { code, stdout } = await sync('--dry-run');
    expect([code, stdout]).toEqual([0, '1 to add\n+  shipping.md  2 pairs\n']);
    expect(requests()).toBe(0);
    await expect(state()).rejects.toThrow('ENOENT');
  });

  it('sends nothing while one file has a mistake, and names its place', async () => {
    const { write, sync, requests } = await start();
    await write('a.md', SHIPPING);
    await write('b.md', '## Why?\n\n## When?\n\nNow.\n');
    expect(await sync()).toMatchObject({ code: 2, stderr: 'b.md:1: the question "Why?" has no answer.\n' });
    await write('b.md', 'Hello\n');
    expect((await sync()).stderr).toContain('b.md:1: this text belongs to no question');
    await write('b.md', '## Why?\n\nSo.\n\n## why?\n\nThus.\n');
    expect((await sync()).stderr).toContain('b.md has the question "why?" twice');
    expect(requests()).toBe(0);
  });

  it('splits a file that is too large for one document, and updates only the part that changed', async () => {
    const { write, sync, documents, requests } = await start();
    const rows = (last: string) =>
      [
        'question,answer',
        ...Array.from({ length: 2_100 }, (_, index) => `Question ${index}?,Yes`),
        last,
      ].join('\n');
    await write('many.csv', rows('The last?,No'));
    expect((await sync()).code).toBe(0);
    expect(documents()).toEqual([
      ['many', 1_000],
      ['many (2)', 1_000],
      ['many (3)', 101],
    ]);
    const before = requests();
    await write('many.csv', rows('The last?,Maybe'));
    expect((await sync('--json')).json()).toMatchObject({ done: ['many.csv#3'] });
    expect(requests()).toBe(before + 1);
  });

  it('sends 10,000 pairs of 200 files', async () => {
    const { write, sync, simulator } = await start();
    for (let file = 0; file < 200; file += 1) {
      const pairs = Array.from({ length: 50 }, (_, index) => `## Question ${index}?\n\nAnswer ${index}.\n`);
      await write(`topics/${file}.md`, pairs.join('\n'));
    }
    expect((await sync()).code).toBe(0);
    expect(simulator.documents().flatMap(({ pairs }) => pairs).length).toBe(10_000);
  });

  it('continues where it stopped after a failure that concerns every document', async () => {
    const { write, sync, documents } = await start();
    await write('a.md', SHIPPING);
    await write('b.md', SHIPPING);
    const failed = await sync('--platform-api-key', 'another-key');
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('1 not sent; the next run continues with them.');
    expect((await sync()).code).toBe(0);
    expect(documents().length).toBe(2);
  });

  it('goes on with other documents after one that the platform refuses', async () => {
    const { write, sync, documents } = await start();
    await write('a.md', SHIPPING);
    await write('b.md', SHIPPING);
    const refused = await sync('--document', 'a.md=no-such-document', '--json');
    expect([refused.code, refused.json()]).toMatchObject([1, { failed: [{ path: 'a.md' }], done: ['b.md'] }]);
    expect(documents()).toEqual([['Shipping', 2]]);
    expect((await sync('--document', 'a.md=none')).code).toBe(0);
    expect(documents().length).toBe(2);
  });

  it('adds no second document when the answer to the first request was lost', async () => {
    const { write, sync, documents, simulator, state, env } = await start();
    let isBroken = true;
    const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = '', headers } = request;
      const answer = await fetch(env.PLATFORM_BASE_URL + request.url, {
        method,
        headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
        body: await readBody(request),
      });
      if (isBroken) response.destroy();
      else response.writeHead(answer.status).end(await answer.text());
    };
    const { url } = await serve((request, response) => void forward(request, response));
    const syncThrough = (...flags: string[]) => sync('--platform-base-url', url, ...flags);
    await write('a.md', SHIPPING);
    expect((await syncThrough()).code).toBe(1);
    isBroken = false;
    expect(await state()).toMatchObject({ 'a.md': { docId: null } });
    const again = await syncThrough();
    expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('?  a.md')]);
    expect(documents().length).toBe(1);

    const [document] = simulator.documents();
    expect((await syncThrough('--document', `a.md=${document?.docId}`)).code).toBe(0);
    expect(documents().length).toBe(1);
    expect((await syncThrough()).stdout).toContain('1 unchanged');
  });

  it('tells of documents whose file is gone, which the platform cannot remove', async () => {
    const { write, remove, sync, simulator } = await start();
    await write('a.md', SHIPPING);
    await write('b.md', SHIPPING);
    await sync();
    await remove('b.md');
    const docId = simulator.documents()[1]?.docId;
    expect((await sync()).stdout).toContain(`-  b.md  document ${docId}`);
    expect((await sync('--document', 'b.md=none')).stdout).not.toContain('b.md');
  });

  it('refuses the state file of another platform, and one that is broken', async () => {
    const { write, sync } = await start();
    await write('a.md', SHIPPING);
    await write(
      STATE,
      JSON.stringify({ version: 1, platform: 'https://other', knowledgeBase: null, documents: {} }),
    );
    expect(await sync()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('belongs to the platform https://other'),
    });
    await write(STATE, '{"version":2}');
    expect(await sync()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a state file') });
  });
});

describe('knowledge in Markdown', () => {
  const parse = (text: string) => parseMarkdown(text, 'a.md', 'a');

  it('takes headings in code and of lower levels as part of the answer', () => {
    const answer = '```sh\n## not a heading\n```\n\n### Note\n\nMore.';
    expect(parse(`## How? ##\r\n\r\n${answer}\r\n`)).toEqual({
      name: 'a',
      pairs: [{ question: 'How?', answer }],
    });
  });

  it('ends a block of code only with a fence of its kind', () => {
    const answer = '~~~\n```\n## still code\n~~~';
    expect(parse(`## How?\n${answer}\n## When?\nNow.`).pairs).toEqual([
      { question: 'How?', answer },
      { question: 'When?', answer: 'Now.' },
    ]);
  });
});
