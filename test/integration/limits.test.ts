import { describe, expect, it } from 'vitest';
import { PLATFORM_PATHS, ValidationError } from '../../src/protocol/index.js';
import type { PlatformClient } from '../../src/public/client.js';
import { fileServer } from './file-server.js';
import { startIntegration } from './integration-setup.js';
import { createOpenApiValidator } from './openapi-validator.js';

const { bodyViolations } = createOpenApiValidator();
const { addQa, updateQa, reply, close } = PLATFORM_PATHS;
const qaList = [{ question: 'How long?', answer: 'Two days.' }];

/** Copies of an entry. */
const many = (count: number, entry: object) => Array.from({ length: count }, () => ({ ...entry }));

type Case = readonly [name: string, verdict: 'accepted' | 'refused', body: (known: Known) => object];
interface Known {
  readonly url: string;
  readonly docId: string;
}

const csv = ({ url }: Known) => ({ file_url: url, file_name: 'a.csv' });
const source = ({ url }: Known) => ({ source_url: url, file_name: 'a.csv' });
const update = ({ url, docId }: Known) => ({ doc_id: docId, source_url: url, file_name: 'a.csv' });

const ADDING: readonly Case[] = [
  ['QA_TEXT with name and qaList', 'accepted', () => ({ purpose: 'QA_TEXT', name: 'n', qaList })],
  ['QA_TEXT without name', 'refused', () => ({ purpose: 'QA_TEXT', qaList })],
  ['QA_TEXT with an empty name', 'refused', () => ({ purpose: 'QA_TEXT', name: '', qaList })],
  ['QA_TEXT without qaList', 'refused', () => ({ purpose: 'QA_TEXT', name: 'n' })],
  ['QA_TEXT with an empty qaList', 'refused', () => ({ purpose: 'QA_TEXT', name: 'n', qaList: [] })],
  [
    'QA_TEXT with half a pair',
    'refused',
    () => ({ purpose: 'QA_TEXT', name: 'n', qaList: [{ question: 'q' }] }),
  ],
  ['QA_FILE with 20 files', 'accepted', (known) => ({ purpose: 'QA_FILE', files: many(20, csv(known)) })],
  ['QA_FILE with 21 files', 'refused', (known) => ({ purpose: 'QA_FILE', files: many(21, csv(known)) })],
  ['QA_FILE with no files', 'refused', () => ({ purpose: 'QA_FILE', files: [] })],
  ['QA_FILE without files', 'refused', () => ({ purpose: 'QA_FILE' })],
  ['QA_FILE with source_url', 'refused', (known) => ({ purpose: 'QA_FILE', files: [source(known)] })],
  ['QA_FILE without file_name', 'refused', ({ url }) => ({ purpose: 'QA_FILE', files: [{ file_url: url }] })],
  [
    'FILE_2_QA with 20 files',
    'accepted',
    (known) => ({ purpose: 'FILE_2_QA', files: many(20, source(known)) }),
  ],
  [
    'FILE_2_QA with 21 files',
    'refused',
    (known) => ({ purpose: 'FILE_2_QA', files: many(21, source(known)) }),
  ],
  ['FILE_2_QA with file_url', 'refused', (known) => ({ purpose: 'FILE_2_QA', files: [csv(known)] })],
  [
    'FILE_2_QA with an invalid URL',
    'refused',
    () => ({ purpose: 'FILE_2_QA', files: [{ source_url: 'x', file_name: 'n' }] }),
  ],
  ['no purpose', 'refused', () => ({ name: 'n', qaList })],
  ['a purpose in other letters', 'refused', () => ({ purpose: 'qa_text', name: 'n', qaList })],
  [
    'a chunk_token of 1',
    'accepted',
    (known) => ({ purpose: 'FILE_2_QA', files: [source(known)], chunk_token: 1 }),
  ],
  [
    'a chunk_token of 0',
    'refused',
    (known) => ({ purpose: 'FILE_2_QA', files: [source(known)], chunk_token: 0 }),
  ],
  ['a header_row of 0', 'accepted', (known) => ({ purpose: 'QA_FILE', files: [csv(known)], header_row: 0 })],
  ['a header_row of -1', 'refused', (known) => ({ purpose: 'QA_FILE', files: [csv(known)], header_row: -1 })],
];

const UPDATING: readonly Case[] = [
  ['qaList with doc_id', 'accepted', ({ docId }) => ({ doc_id: docId, qaList })],
  ['qaList without doc_id', 'refused', () => ({ qaList })],
  ['qaList and files', 'refused', (known) => ({ doc_id: known.docId, qaList, files: [update(known)] })],
  ['neither qaList nor files', 'refused', ({ docId }) => ({ doc_id: docId })],
  ['both of them empty', 'refused', ({ docId }) => ({ doc_id: docId, qaList: [], files: [] })],
  ['qaList and no files', 'accepted', ({ docId }) => ({ doc_id: docId, qaList, files: [] })],
  ['files and no qaList', 'accepted', (known) => ({ qaList: [], files: [update(known)] })],
  ['20 files', 'accepted', (known) => ({ files: many(20, update(known)) })],
  ['21 files', 'refused', (known) => ({ files: many(21, update(known)) })],
  ['a file without doc_id', 'refused', (known) => ({ files: [source(known)] })],
  ['a file without source_url', 'refused', ({ docId }) => ({ files: [{ doc_id: docId, file_name: 'n' }] })],
];

async function startWithDocument() {
  const world = await startIntegration();
  const at = await fileServer({ '/a.csv': 'question,answer\nq,a\n' });
  const { doc } = await world.client.knowledge.addQa({ purpose: 'QA_TEXT', name: 'n', qaList });
  return { ...world, known: { url: at('/a.csv'), docId: doc[0]?.doc_id ?? '' } };
}

/** Whether the client accepts a body that may not fit its types. */
async function verdictOf(
  { knowledge }: PlatformClient,
  name: keyof PlatformClient['knowledge'],
  body: object,
): Promise<string> {
  try {
    await Reflect.apply(knowledge[name], knowledge, [body]);
    return 'accepted';
  } catch (error) {
    if (error instanceof ValidationError) return 'refused';
    throw error;
  }
}

const REFUSED = {
  status: 400,
  body: { code: 40000, message: expect.stringMatching(/^Parameter error: /) },
};

describe('the rules for adding QA documents, in client, simulator and openapi.json', () => {
  it.each(ADDING)('%s is %s', async (_name, verdict, make) => {
    const { client, raw, known } = await startWithDocument();
    const body = make(known);
    expect(await verdictOf(client, 'addQa', body)).toBe(verdict);
    expect(bodyViolations('POST', addQa, body).length > 0).toBe(verdict === 'refused');
    expect(await raw('POST', addQa, body)).toMatchObject(verdict === 'accepted' ? { status: 200 } : REFUSED);
  });
});

describe('the rules for updating QA documents, in client, simulator and openapi.json', () => {
  it.each(UPDATING)('%s is %s', async (_name, verdict, make) => {
    const { client, raw, known } = await startWithDocument();
    const body = make(known);
    expect(await verdictOf(client, 'updateQa', body)).toBe(verdict);
    expect(bodyViolations('PUT', updateQa, body).length > 0).toBe(verdict === 'refused');
    expect(await raw('PUT', updateQa, body)).toMatchObject(
      verdict === 'accepted' ? { status: 200 } : REFUSED,
    );
  });
});

describe('the rules for reply and close, in simulator and openapi.json', () => {
  it.each([
    ['a reply without conversation_id', reply, { timestamp: 1, body: 'Hello' }],
    ['a reply without timestamp', reply, { conversation_id: 'c', body: 'Hello' }],
    ['a reply without body', reply, { conversation_id: 'c', timestamp: 1 }],
    ['a reply with an empty body', reply, { conversation_id: 'c', timestamp: 1, body: '' }],
    [
      'a reply whose body is not a string',
      reply,
      { conversation_id: 'c', timestamp: 1, body: { text: 'Hello' } },
    ],
    ['a reply whose conversation_id is a number', reply, { conversation_id: 7, timestamp: 1, body: 'Hello' }],
    ['a reply whose timestamp is null', reply, { conversation_id: 'c', timestamp: null, body: 'Hello' }],
    ['a close without conversation_id', close, { timestamp: 1 }],
    ['a close without timestamp', close, { conversation_id: 'c' }],
    ['a close whose timestamp is a string', close, { conversation_id: 'c', timestamp: 'now' }],
    ['a close whose timestamp has a fraction', close, { conversation_id: 'c', timestamp: 1.5 }],
    ['a close whose timestamp is negative', close, { conversation_id: 'c', timestamp: -1 }],
  ])('%s is refused', async (_name, path, body) => {
    const { raw } = await startIntegration();
    expect(bodyViolations('POST', path, body)).not.toEqual([]);
    expect(await raw('POST', path, body)).toMatchObject(REFUSED);
  });

  it('an empty reply is refused by the client before it is sent', async () => {
    const { client, exchanges } = await startIntegration();
    await expect(client.reply({ conversationId: 'c', text: '' })).rejects.toThrow(ValidationError);
    await expect(client.end({ conversationId: '' })).rejects.toThrow(ValidationError);
    expect(exchanges).toEqual([]);
  });
});
