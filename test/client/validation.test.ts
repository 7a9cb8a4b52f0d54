import { describe, expect, test } from 'vitest';
import { createPlatformClient, type PlatformClient, PlatformError } from '../../src/client/index.js';
import { ValidationError } from '../../src/protocol/index.js';
import { HandoffKitError } from '../../src/public/index.js';
import { freePort } from '../helpers/free-port.js';
import { CLOSE, clientOf, platformAnswering, QA_TEXT, REPLY } from './support.js';

const pair = { question: 'q', answer: 'a' };
const file = (number: number) => ({
  file_url: `https://files.example.com/${number}.csv`,
  file_name: `${number}`,
});
/** Unchecked input, as from JavaScript. */
const untyped = (input: object) => JSON.parse(JSON.stringify(input));
const reply = (input: object) => (client: PlatformClient) => client.reply(untyped(input));
const add = (input: object) => (client: PlatformClient) => client.knowledge.addQa(untyped(input));
const update = (input: object) => (client: PlatformClient) => client.knowledge.updateQa(untyped(input));

describe('input that breaks the contract is not sent', () => {
  test.each([
    ['a reply without a conversation', 'conversationId', reply({ text: 'hi' })],
    ['a reply without text', 'text', reply({ conversationId: 'c', text: '' })],
    [
      'a reply with a time that is none',
      'timestamp',
      reply({ conversationId: 'c', text: 'hi', timestamp: -1 }),
    ],
    [
      'a close without a conversation',
      'conversationId',
      (client: PlatformClient) => client.end({ conversationId: '' }),
    ],
    ['an add without a purpose', 'purpose', add({ name: 'n', qaList: [pair] })],
    ['a purpose in other letters', 'purpose', add({ purpose: 'qa_text', name: 'n', qaList: [pair] })],
    ['an unknown purpose', 'purpose', add({ purpose: 'QA_TXT', name: 'n', qaList: [pair] })],
    ['text without a name', 'name', add({ purpose: 'QA_TEXT', qaList: [pair] })],
    ['text without pairs', 'qaList', add({ purpose: 'QA_TEXT', name: 'n' })],
    ['a file add without files', 'files', add({ purpose: 'QA_FILE' })],
    ['21 files', 'files', add({ purpose: 'QA_FILE', files: Array.from({ length: 21 }, (_, i) => file(i)) })],
    ['an update with nothing', 'qaList', update({ doc_id: 'd' })],
    ['an update without its document', 'doc_id', update({ qaList: [pair] })],
    [
      'an update with both kinds',
      'files',
      update({
        doc_id: 'd',
        qaList: [pair],
        files: [{ doc_id: 'd', source_url: 'https://files.example.com/1', file_name: '1' }],
      }),
    ],
  ] as const)('%s', async (_, path, call) => {
    const platform = await platformAnswering();
    const error: unknown = await call(clientOf(platform)).catch((reason: unknown) => reason);
    if (!(error instanceof ValidationError)) throw error;
    expect(error.issues.map((issue) => issue.path)).toContain(path);
    expect(platform.requests).toHaveLength(0);
  });

  test('20 files are sent', async () => {
    const platform = await platformAnswering({ body: { doc: [], failed: [] } });
    const files = Array.from({ length: 20 }, (_, index) => file(index));
    await clientOf(platform).knowledge.addQa({ purpose: 'QA_FILE', files });
    expect(JSON.parse(platform.requests[0]?.body ?? '').files).toHaveLength(20);
  });
});

describe('a misspelt field is not sent, even from JavaScript', () => {
  test.each([
    ['knowledgeBaseId', 'did you mean knowledge_base_id?'],
    ['chunk_tokens', 'did you mean chunk_token?'],
    ['qalist', 'did you mean qaList?'],
    ['language', 'pass it in extra to send it'],
  ])('%s', async (field, hint) => {
    const platform = await platformAnswering();
    const { knowledge } = clientOf(platform);
    for (const call of [
      knowledge.addQa(untyped({ ...QA_TEXT, [field]: 'x' })),
      knowledge.updateQa(untyped({ doc_id: 'd', qaList: [pair], [field]: 'x' })),
    ]) {
      await expect(call).rejects.toMatchObject({
        code: 'INVALID_BODY',
        issues: [{ path: field, message: expect.stringContaining(hint) }],
      });
    }
    expect(platform.requests).toEqual([]);
  });

  test.each([
    [{ qaList: [pair, { ...pair, answr: 'x' }] }, 'qaList[1].answr', 'did you mean answer?'],
    [{ qaList: [{ ...pair, weight: 1 }] }, 'qaList[0].weight', 'it has question, answer'],
    [{ files: [{ ...file(0), fileName: 'x' }] }, 'files[0].fileName', 'did you mean file_name?'],
  ])('within a list: %j', async (fields, path, hint) => {
    const platform = await platformAnswering();
    const { knowledge } = clientOf(platform);
    for (const call of [
      knowledge.addQa(untyped({ purpose: 'QA_TEXT', name: 'n', ...fields })),
      knowledge.updateQa(untyped({ doc_id: 'd', ...fields })),
    ]) {
      await expect(call).rejects.toMatchObject({
        code: 'INVALID_BODY',
        issues: [{ path, message: expect.stringContaining(hint) }],
      });
    }
    expect(platform.requests).toEqual([]);
  });
});

describe('unknown values in extra are sent unchanged', () => {
  test('a field about knowledge, which cannot replace a known field', async () => {
    const platform = await platformAnswering({ body: { doc: [{ doc_id: 'd', doc_name: 'n' }], failed: [] } });
    const { knowledge } = clientOf(platform);
    const extra = { language: 'de', qaList: [] };
    await knowledge.addQa({ ...QA_TEXT, extra });
    await knowledge.updateQa({ doc_id: 'd', qaList: [pair], extra });
    for (const { body } of platform.requests) {
      const { qaList, language, extra: nothing } = JSON.parse(body);
      expect([qaList.length, language, nothing]).toEqual([1, 'de', undefined]);
    }
  });

  test('a field of a reply or an end, which cannot replace a known field', async () => {
    const platform = await platformAnswering();
    const extra = { bot_name: 'Ann', conversation_id: 'another' };
    await clientOf(platform).reply({ ...REPLY, extra });
    await clientOf(platform).end({ ...CLOSE, extra });
    expect(platform.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
      { bot_name: 'Ann', conversation_id: REPLY.conversationId, body: REPLY.text },
      { bot_name: 'Ann', conversation_id: CLOSE.conversationId },
    ]);
  });
});

describe('every failure is a HandoffKitError', () => {
  const nothing = JSON.parse('null');
  const circular: Record<string, unknown> = {};
  circular.itself = circular;

  test.each<[string, (client: PlatformClient) => Promise<unknown>]>([
    ['no input for a reply', (client) => client.reply(nothing)],
    ['no input for an end', (client) => client.end(nothing)],
    ['no input for an add', (client) => client.knowledge.addQa(nothing)],
    ['no input for an update', (client) => client.knowledge.updateQa(nothing)],
    ['empty text', (client) => client.reply({ ...REPLY, text: '' })],
    ['a field that JSON cannot express', (client) => client.reply({ ...REPLY, extra: { count: 1n } })],
    ['a circular field', (client) => client.end({ ...CLOSE, extra: circular })],
  ])('and a ValidationError for %s', async (_, call) => {
    const platform = await platformAnswering();
    const error: unknown = await call(clientOf(platform)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HandoffKitError);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).not.toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ code: 'INVALID_BODY' });
    expect(platform.requests).toHaveLength(0);
  });

  test('with CONFIG_INVALID for a wrong option', async () => {
    const wrong = [
      () => createPlatformClient(JSON.parse('{}')),
      () => Reflect.apply(createPlatformClient, null, []),
      () => clientOf({ baseUrl: 'http://127.0.0.1' }).reply(REPLY, { timeoutMs: -1 }),
    ];
    for (const attempt of wrong) {
      const error: unknown = await Promise.resolve()
        .then(attempt)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HandoffKitError);
      expect(error).not.toBeInstanceOf(PlatformError);
      expect(error).not.toBeInstanceOf(ValidationError);
      expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    }
  });

  test('and a PlatformError once the platform was called', async () => {
    const refused = await platformAnswering({ body: { code: 40000, message: 'no' } });
    for (const baseUrl of [refused.baseUrl, `http://127.0.0.1:${await freePort()}`]) {
      const error: unknown = await clientOf({ baseUrl })
        .reply(REPLY)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HandoffKitError);
      expect(error).toBeInstanceOf(PlatformError);
      expect(error).not.toBeInstanceOf(ValidationError);
    }
  });
});
