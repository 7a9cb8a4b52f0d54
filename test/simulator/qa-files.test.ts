import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, type Received, startReceiver, startSimulator } from './support.js';

const ADD = '/v1/bot/doc/qa/add';
const CSV = 'question,answer\nOpen when?,"From nine, to five."\nWhere?,"Main street\n1"\n';
const MARKDOWN = '# Hours\n\nFrom nine to five.\n\n# Place\nMain street 1\n';

async function serveFiles() {
  const files: Record<string, string | Buffer> = {
    '/good.csv': CSV,
    '/good.md': MARKDOWN,
    '/bad.csv': 'question,answer\nonly a question\n',
    '/broken.csv': 'question,answer\n"never closed,',
    '/picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0x00]),
    '/archive.bin': 'text\0and more text',
    '/latin1.csv': Buffer.from('question,answer\ncaf\xe9,yes\n', 'latin1'),
    '/long.csv': 'question,answer\nA?,'.padEnd(5_000, 'x'),
    '/empty.md': ' \n\n',
  };
  return startReceiver(({ path }: Received, response) => {
    const file = files[path];
    if (path === '/hangs.csv') return;
    response.statusCode = file === undefined ? 404 : 200;
    response.end(file ?? 'question,answer\nnot,found\n');
  });
}

async function start(options: Parameters<typeof startSimulator>[0] = {}) {
  const files = await serveFiles();
  const started = await startSimulator({ bots: [botAt(NOWHERE)], fileMaxBytes: 4_000, ...options });
  return { ...started, files };
}

test('QA_FILE fetches a CSV file and keeps its pairs', async () => {
  const { simulator, call, files } = await start();
  const { body } = await call('POST', ADD, {
    purpose: 'QA_FILE',
    files: [{ file_url: `${files.origin}/good.csv`, file_name: 'hours.csv' }],
  });
  expect(body).toEqual({ doc: [{ doc_id: expect.any(String), doc_name: 'hours.csv' }], failed: [] });
  expect(simulator.documents()[0]?.pairs).toEqual([
    { question: 'Open when?', answer: 'From nine, to five.' },
    { question: 'Where?', answer: 'Main street\n1' },
  ]);
});

test('header_row is used for CSV files', async () => {
  const { simulator, call, files } = await start();
  const named = [{ file_url: `${files.origin}/good.csv`, file_name: 'hours.csv' }];
  await call('POST', ADD, { purpose: 'QA_FILE', files: named, header_row: 0 });
  expect(simulator.documents()[0]?.pairs[0]).toEqual({ question: 'question', answer: 'answer' });
});

test('FILE_2_QA fetches a document and splits it into pairs', async () => {
  const { simulator, call, files } = await start();
  const named = [{ source_url: `${files.origin}/good.md`, file_name: 'shop.md' }];
  const { body } = await call('POST', ADD, { purpose: 'FILE_2_QA', files: named });
  expect(body).toMatchObject({ doc: [{ doc_name: 'shop.md' }], failed: [] });
  expect(simulator.documents()[0]?.pairs).toEqual([
    { question: 'Hours', answer: 'From nine to five.' },
    { question: 'Place', answer: 'Main street 1' },
  ]);
});

test('chunk_token and splitter are used for documents', async () => {
  const { simulator, call, files } = await start();
  const named = [{ source_url: `${files.origin}/good.md`, file_name: 'shop.md' }];
  await call('POST', ADD, { purpose: 'FILE_2_QA', files: named, splitter: '# ', chunk_token: 3 });
  expect(simulator.documents()[0]?.pairs.map(({ answer }) => answer)).toEqual([
    'Hours\n\nFrom nine',
    'to five.',
    'Place\nMain street',
    '1',
  ]);
});

describe('a file that cannot be read is listed in failed by name', () => {
  test.each([
    ['a row without an answer', 'QA_FILE', '/bad.csv'],
    ['CSV that does not parse', 'QA_FILE', '/broken.csv'],
    ['text in another encoding', 'QA_FILE', '/latin1.csv'],
    ['a missing file', 'QA_FILE', '/missing.csv'],
    ['a file that is too long', 'QA_FILE', '/long.csv'],
    ['a picture', 'FILE_2_QA', '/picture.png'],
    ['an archive', 'FILE_2_QA', '/archive.bin'],
    ['a document without text', 'FILE_2_QA', '/empty.md'],
  ])('%s', async (_name, purpose, path) => {
    const { simulator, call, files } = await start();
    const field = purpose === 'QA_FILE' ? 'file_url' : 'source_url';
    const good = purpose === 'QA_FILE' ? '/good.csv' : '/good.md';
    const { status, body } = await call('POST', ADD, {
      purpose,
      files: [
        { [field]: `${files.origin}${path}`, file_name: 'bad one' },
        { [field]: `${files.origin}${good}`, file_name: 'good one' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ doc: [{ doc_name: 'good one' }], failed: ['bad one'] });
    expect(simulator.documents()).toHaveLength(1);
  });

  test('a file that does not arrive', async () => {
    const { call, files } = await start({ fileTimeoutMs: 50 });
    const named = [{ file_url: `${files.origin}/hangs.csv`, file_name: 'bad one' }];
    const { body } = await call('POST', ADD, { purpose: 'QA_FILE', files: named });
    expect(body).toMatchObject({ doc: [], failed: ['bad one'] });
  });

  test.each(['file:///etc/passwd', 'data:text/csv,question,answer', NOWHERE])('%s', async (url) => {
    const { call } = await start();
    const request = { purpose: 'QA_FILE', files: [{ file_url: url, file_name: 'x' }] };
    expect((await call('POST', ADD, request)).body).toEqual({ doc: [], failed: ['x'] });
  });
});
