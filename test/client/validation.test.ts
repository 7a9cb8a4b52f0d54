import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../src/client/index.js';
import { ValidationError } from '../../src/protocol/index.js';
import { clientOf, serviceAnswering } from './support.js';

const pair = { question: 'q', answer: 'a' };
const file = (number: number) => ({
  file_url: `https://files.example.com/${number}.csv`,
  file_name: `${number}`,
});
/** Input from JavaScript, which no compiler checks. */
const untyped = (input: object) => JSON.parse(JSON.stringify(input));
const reply = (input: object) => (client: ServiceClient) => client.reply(untyped(input));
const add = (input: object) => (client: ServiceClient) => client.knowledge.addQa(untyped(input));
const update = (input: object) => (client: ServiceClient) => client.knowledge.updateQa(untyped(input));

describe('input that breaks the contract is not sent', () => {
  test.each([
    ['a reply without a conversation', 'conversation_id', reply({ text: 'hi' })],
    ['a reply without text', 'body', reply({ conversationId: 'c', text: '' })],
    [
      'a reply with a time that is none',
      'timestamp',
      reply({ conversationId: 'c', text: 'hi', timestamp: -1 }),
    ],
    [
      'a close without a conversation',
      'conversation_id',
      (client: ServiceClient) => client.end({ conversationId: '' }),
    ],
    ['an add without a purpose', 'purpose', add({ name: 'n', qaList: [pair] })],
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
    const service = await serviceAnswering();
    const error: unknown = await call(clientOf(service)).catch((reason: unknown) => reason);
    if (!(error instanceof ValidationError)) throw error;
    expect(error.issues.map((issue) => issue.path)).toContain(path);
    expect(service.requests).toHaveLength(0);
  });

  test('20 files are sent', async () => {
    const service = await serviceAnswering({ body: { doc: [], failed: [] } });
    const files = Array.from({ length: 20 }, (_, index) => file(index));
    await clientOf(service).knowledge.addQa({ purpose: 'QA_FILE', files });
    expect(JSON.parse(service.requests[0]?.body ?? '').files).toHaveLength(20);
  });
});
