import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { HandoffKitError } from '../../src/internal/index.js';
import {
  agentReply,
  failureBody,
  qaAdd,
  qaUpdate,
  validate,
  validateWebhook,
  webhookBodies,
  webhookCheckAnswer,
} from '../../src/protocol/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { errorOf } from './error-of.js';

const CANARY = 'canary-7f3a';
const pathsOf = (schema: z.ZodType, value: unknown) =>
  errorOf(() => validate(schema, value)).issues.map(({ path }) => path);
/** A request to add pairs. */
const pairs = (qaList: unknown[], fields: object = {}) => ({
  purpose: 'QA_TEXT',
  name: 'n',
  qaList,
  ...fields,
});

describe('a validation error', () => {
  it('is an error of this package', () => {
    const error = errorOf(() => validateWebhook('chat', {}));
    expect(error).toBeInstanceOf(HandoffKitError);
    expect(error).toMatchObject({ name: 'ValidationError', code: 'INVALID_BODY' });
  });

  it("lists the paths in the body's order", () => {
    const body = pairs(
      [
        { question: 5, answer: 'ok' },
        { question: 'ok', answer: 6 },
      ],
      { header_row: 'one' },
    );
    expect(pathsOf(qaAdd, body)).toEqual(['qaList[0].question', 'qaList[1].answer', 'header_row']);
  });

  it.each([[null], ['text'], [5], [[]], [undefined]])('has no path when the body is %j', (body) => {
    expect(pathsOf(webhookBodies.chat, body)).toEqual(['']);
    expect(errorOf(() => validateWebhook('chat', body)).message).toMatch(/^body: /);
  });

  it('names every path and expectation in its message', () => {
    expect(
      errorOf(() => validateWebhook('chat', chatBody({ conversation_id: null, body: [] }))).message,
    ).toBe('conversation_id: expected a non-empty string; body: expected a string');
  });

  it('names at most five paths and counts the rest; issues lists them all', () => {
    const items = Array.from({ length: 8 }, () => 'x');
    const error = errorOf(() => validate(qaAdd, pairs(items)));
    expect(error.issues).toHaveLength(8);
    expect(error.message).toContain('qaList[4]: ');
    expect(error.message).not.toContain('qaList[5]');
    expect(error.message).toMatch(/; and 3 more$/);
  });

  it('counts nothing when there are exactly five', () => {
    const items = Array.from({ length: 5 }, () => 'x');
    const { message } = errorOf(() => validate(qaAdd, pairs(items)));
    expect(message).toContain('qaList[4]: ');
    expect(message).not.toContain('more');
  });

  it('is thrown also for 300,000 problems', () => {
    const items = Array.from({ length: 300_000 }, () => 0);
    expect(errorOf(() => validate(qaAdd, pairs(items))).code).toBe('INVALID_BODY');
  });
});

describe('a value that cannot be compared', () => {
  const made = { length: { toString: 0, valueOf: 0, note: CANARY } };

  it.each([
    ['an id', () => validateWebhook('chat', chatBody({ conversation_id: made }))],
    ['words', () => validateWebhook('chat', chatBody({ body: made }))],
    ['a list', () => validate(qaAdd, { purpose: 'QA_FILE', files: made })],
  ])('as %s makes the body invalid and throws no other error', (_place, call) => {
    const error = errorOf(call);
    expect(error.code).toBe('INVALID_BODY');
    expect(inspect(error)).not.toContain(CANARY);
  });
});

describe('the values of a refused body', () => {
  const refused: [string, () => unknown][] = [
    [
      'old message',
      () => validateWebhook('message', { flow_output: CANARY, text: CANARY, message_id: CANARY }),
    ],
    ['message id', () => validateWebhook('message', botMessageBody({ message_id: { [CANARY]: CANARY } }))],
    ['establish', () => validateWebhook('establish', establishBody({ conversation_id: [CANARY] }))],
    ['chat', () => validateWebhook('chat', chatBody({ body: [CANARY], [CANARY]: CANARY }))],
    ['close', () => validateWebhook('close', closeBody({ type: [CANARY], conversation_id: [CANARY] }))],
    ['whole body', () => validateWebhook('close', CANARY)],
    ['constructor', () => validateWebhook('chat', chatBody({ body: { constructor: { name: CANARY } } }))],
    ['reply', () => validate(agentReply, { conversation_id: [CANARY], timestamp: CANARY, body: [CANARY] })],
    ['purpose', () => validate(qaAdd, { purpose: CANARY })],
    ['pairs', () => validate(qaAdd, { purpose: 'QA_TEXT', name: [CANARY], qaList: [{ question: CANARY }] })],
    [
      'url',
      () => validate(qaAdd, { purpose: 'QA_FILE', files: [{ file_url: CANARY, file_name: [CANARY] }] }),
    ],
    ['update', () => validate(qaUpdate, { qaList: [{ question: CANARY, answer: CANARY }] })],
    ['check', () => validate(webhookCheckAnswer, { results: [{ type: [CANARY], webhook_url: [CANARY] }] })],
    ['failure', () => validate(failureBody, { code: CANARY, message: [CANARY] })],
  ];

  it.each(refused)('do not appear in the error: %s', (_what, call) => {
    const error = errorOf(call);
    const shown = [
      error.message,
      error.stack,
      JSON.stringify(error),
      JSON.stringify(error.issues),
      inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    ];
    for (const text of shown) expect(text).not.toContain(CANARY);
    expect(error.cause).toBeUndefined();
    expect(error.issues).not.toHaveLength(0);
  });
});
