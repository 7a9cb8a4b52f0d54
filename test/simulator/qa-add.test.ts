import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, startSimulator } from './support.js';

const ADD = '/v1/bot/doc/qa/add';
const start = () => startSimulator({ bots: [botAt(NOWHERE)] });
const file = { file_url: `${NOWHERE}/a.csv`, file_name: 'a.csv' };
const copies = (count: number) => Array.from({ length: count }, () => file);
const source = { source_url: `${NOWHERE}/a.md`, file_name: 'a.md' };
const pair = { question: 'Open when?', answer: 'From nine to five.' };

test('QA_TEXT stores the pairs and returns the document', async () => {
  const { simulator, call } = await start();
  const { status, body } = await call('POST', ADD, { purpose: 'QA_TEXT', name: 'Hours', qaList: [pair] });
  expect(status).toBe(200);
  expect(body).toEqual({ doc: [{ doc_id: expect.any(String), doc_name: 'Hours' }], failed: [] });
  expect(simulator.documents()).toMatchObject([
    { name: 'Hours', purpose: 'QA_TEXT', knowledgeBaseId: 'default', pairs: [pair] },
  ]);
});

test('a knowledge base can be named', async () => {
  const { simulator, call } = await start();
  const body = { purpose: 'QA_TEXT', name: 'Hours', qaList: [pair], knowledge_base_id: 'shop' };
  await call('POST', ADD, body);
  expect(simulator.documents()[0]?.knowledgeBaseId).toBe('shop');
});

test('each bot has its own documents', async () => {
  const other = { id: 'bot-2', apiKey: 'the-key-of-bot-2' };
  const { simulator, call } = await startSimulator({ bots: [botAt(NOWHERE), other] });
  await call('POST', ADD, { purpose: 'QA_TEXT', name: 'Hours', qaList: [pair] });
  expect(simulator.documents('bot-1')).toHaveLength(1);
  expect(simulator.documents('bot-2')).toHaveLength(0);
});

describe('is refused with 40000, naming the field', () => {
  test.each([
    ['no purpose', { name: 'x', qaList: [pair] }, 'purpose'],
    ['another purpose', { purpose: 'PDF' }, 'purpose'],
    ['QA_TEXT without a name', { purpose: 'QA_TEXT', qaList: [pair] }, 'name'],
    ['QA_TEXT without pairs', { purpose: 'QA_TEXT', name: 'x' }, 'qaList'],
    ['QA_TEXT with no pair', { purpose: 'QA_TEXT', name: 'x', qaList: [] }, 'qaList'],
    [
      'a pair without an answer',
      { purpose: 'QA_TEXT', name: 'x', qaList: [{ question: '?' }] },
      'qaList[0].answer',
    ],
    ['QA_FILE without files', { purpose: 'QA_FILE' }, 'files'],
    ['QA_FILE with a source_url', { purpose: 'QA_FILE', files: [source] }, 'files[0].file_url'],
    ['FILE_2_QA without files', { purpose: 'FILE_2_QA' }, 'files'],
    ['FILE_2_QA with a file_url', { purpose: 'FILE_2_QA', files: [file] }, 'files[0].source_url'],
    [
      'a file without a name',
      { purpose: 'QA_FILE', files: [{ file_url: file.file_url }] },
      'files[0].file_name',
    ],
    ['21 files', { purpose: 'QA_FILE', files: copies(21) }, 'files: expected at most 20'],
    ['no chunk size', { purpose: 'FILE_2_QA', files: [source], chunk_token: 0 }, 'chunk_token'],
    ['a negative header row', { purpose: 'QA_FILE', files: [file], header_row: -1 }, 'header_row'],
  ])('%s', async (_name, request, field) => {
    const { simulator, call } = await start();
    const { status, body } = await call('POST', ADD, request);
    expect([status, body.code]).toEqual([400, 40000]);
    expect(body.message).toContain(`Parameter error: ${field}`);
    expect(simulator.documents()).toEqual([]);
  });
});

test('20 files are accepted', async () => {
  const { call } = await start();
  const { status, body } = await call('POST', ADD, { purpose: 'QA_FILE', files: copies(20) });
  expect(status).toBe(200);
  expect(body).toEqual({ doc: [], failed: Array(20).fill('a.csv') });
});
