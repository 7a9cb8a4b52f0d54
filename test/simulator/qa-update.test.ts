import { describe, expect, test } from 'vitest';
import { qaAnswer } from '../../src/protocol/index.js';
import { botAt, NOWHERE, startReceiver, startSimulator } from './support.js';

const UPDATE = '/v1/bot/doc/qa/update';
const OTHER_BOT = { id: 'bot-2', apiKey: 'the-key-of-bot-2' };
const pair = { question: 'Open when?', answer: 'From nine to five.' };

async function start() {
  const started = await startSimulator({ bots: [botAt(NOWHERE), OTHER_BOT] });
  const added = await started.call('POST', '/v1/bot/doc/qa/add', {
    purpose: 'QA_TEXT',
    name: 'Hours',
    qaList: [pair, { question: 'Where?', answer: 'Here.' }],
  });
  return { ...started, docId: qaAnswer.parse(added.body).doc[0]?.doc_id ?? '' };
}

test('qaList replaces every pair of the document', async () => {
  const { simulator, call, docId } = await start();
  const fresh = [{ question: 'Open when?', answer: 'Never.' }];
  const { status, body } = await call('PUT', UPDATE, { doc_id: docId, qaList: fresh });
  expect(status).toBe(200);
  expect(body).toEqual({ doc: [{ doc_id: docId, doc_name: 'Hours' }], failed: [] });
  expect(simulator.documents().map(({ pairs }) => pairs)).toEqual([fresh]);
});

test('files replace the pairs of the documents they name; an invalid file leaves its document unchanged', async () => {
  const { simulator, call, docId } = await start();
  const files = await startReceiver(({ path }, response) => {
    response.statusCode = path === '/new.md' ? 200 : 500;
    response.end('# Hours\nNever.');
  });
  const good = { doc_id: docId, source_url: `${files.origin}/new.md`, file_name: 'new.md' };
  const bad = { doc_id: docId, source_url: `${files.origin}/bad.md`, file_name: 'bad.md' };
  const { body } = await call('PUT', UPDATE, { files: [good, bad] });
  expect(body).toEqual({ doc: [{ doc_id: docId, doc_name: 'new.md' }], failed: ['bad.md'] });
  expect(simulator.documents()[0]?.pairs).toEqual([{ question: 'Hours', answer: 'Never.' }]);
});

test('a CSV file stays a CSV file', async () => {
  const { simulator, call, docId } = await start();
  const files = await startReceiver((_received, response) => {
    response.end('question,answer\nA?,B');
  });
  const entry = { doc_id: docId, source_url: `${files.origin}/x`, file_name: 'x.CSV' };
  await call('PUT', UPDATE, { files: [entry] });
  expect(simulator.documents()[0]?.pairs).toEqual([{ question: 'A?', answer: 'B' }]);
});

describe('is refused with 40000, naming the field', () => {
  const entry = { doc_id: 'x', source_url: NOWHERE, file_name: 'x.md' };
  test.each([
    ['both qaList and files', { doc_id: 'x', qaList: [pair], files: [entry] }, 'files: qaList and files'],
    ['neither', { doc_id: 'x' }, 'qaList: qaList and files cannot both be empty'],
    ['both empty', { doc_id: 'x', qaList: [], files: [] }, 'qaList: qaList and files cannot both be empty'],
    ['qaList without doc_id', { qaList: [pair] }, 'doc_id'],
    ['a file without doc_id', { files: [{ ...entry, doc_id: undefined }] }, 'files[0].doc_id'],
    ['a file without source_url', { files: [{ ...entry, source_url: undefined }] }, 'files[0].source_url'],
    ['21 files', { files: Array.from({ length: 21 }, () => entry) }, 'files: expected at most 20'],
    ['an unknown doc_id', { doc_id: 'x', qaList: [pair] }, 'doc_id: this bot has no such document'],
    ['an unknown doc_id in a file', { files: [entry] }, 'files[0].doc_id: this bot has no such document'],
  ])('%s', async (_name, request, message) => {
    const { simulator, call } = await start();
    const { status, body } = await call('PUT', UPDATE, request);
    expect([status, body.code]).toEqual([400, 40000]);
    expect(body.message).toContain(`Parameter error: ${message}`);
    expect(simulator.documents()[0]?.pairs).toHaveLength(2);
  });

  test("another bot's document", async () => {
    const { call, docId } = await start();
    const headers = { authorization: 'Bearer the-key-of-bot-2' };
    const { body } = await call('PUT', UPDATE, { doc_id: docId, qaList: [pair] }, headers);
    expect(body.code).toBe(40000);
  });

  test('a document of another knowledge base', async () => {
    const { call, docId } = await start();
    const request = { doc_id: docId, qaList: [pair], knowledge_base_id: 'shop' };
    expect((await call('PUT', UPDATE, request)).body.code).toBe(40000);
  });
});
