import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { z } from 'zod';
import {
  agentClose,
  agentReply,
  botMessage,
  botMessageEnvelope,
  failureBody,
  handoffChat,
  handoffClose,
  handoffRequest,
  isFailureBody,
  isNormalEnvelope,
  isProbe,
  messageAudio,
  messageText,
  qaAdd,
  qaAnswer,
  qaUpdate,
  unknownContentKinds,
  ValidationError,
  validate,
  validateWebhook,
  webhookCheckAnswer,
} from '../../src/protocol/index.js';
import { property } from '../helpers/property.js';
import * as wire from './arbitraries.js';
import { CANARY, hostileJson, hostileObject, objectsIn } from './hostile.js';

const bodies: [string, z.ZodType, fc.Arbitrary<Record<string, unknown>>][] = [
  ['message', botMessage, wire.message],
  ['message envelope', botMessageEnvelope, wire.message],
  ['establish', handoffRequest, wire.establish],
  ['chat', handoffChat, wire.chat],
  ['close', handoffClose, wire.close],
  ['reply', agentReply, wire.reply],
  ['agent close', agentClose, wire.agentClosing],
  ['qa add', qaAdd, wire.add],
  ['qa update', qaUpdate, wire.update],
  ['qa answer', qaAnswer, wire.knowledgeAnswer],
  ['check answer', webhookCheckAnswer, wire.checkAnswer],
  ['failure', failureBody, wire.failure],
];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Expects the unknown fields of the body in the parsed value, at every level. */
function expectUnknownKept(sent: unknown, read: unknown): void {
  if (!isObject(sent)) return;
  // One object in place of a list.
  const seen = Array.isArray(read) && !Array.isArray(sent) ? read[0] : read;
  if (Array.isArray(sent) && !Array.isArray(seen)) {
    for (const part of sent) expectUnknownKept(part, seen);
    return;
  }
  for (const [key, value] of Object.entries(sent)) {
    const kept = isObject(seen) ? seen[key] : undefined;
    if (key.startsWith(wire.UNKNOWN)) expect(kept).toEqual(value);
    else expectUnknownKept(value, kept);
  }
}

/** The validation error that a call throws, if any; any other error fails the test. */
function errorFrom(call: () => unknown): ValidationError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
}

function expectOrdinaryObjects(value: unknown): void {
  const ordinary = [Object.prototype, Array.prototype];
  expect(objectsIn(value).every((object) => ordinary.includes(Object.getPrototypeOf(object)))).toBe(true);
}

describe.each(bodies)('%s: every body the contract permits', (_name, schema, body) => {
  property([body])('passes, keeps unknown fields, and is not changed in place', (sent) => {
    const before = structuredClone(sent);
    expectUnknownKept(sent, validate(schema, sent));
    expect(sent).toEqual(before);
  });

  property([body])('is unchanged by a second pass', (sent) => {
    const once = validate(schema, sent);
    expect(validate(schema, once)).toStrictEqual(once);
  });

  property([body])('parses to the same value after a JSON round trip', (sent) => {
    expect(validate(schema, JSON.parse(JSON.stringify(sent)))).toEqual(validate(schema, sent));
  });
});

describe.each([
  ['reply', agentReply, wire.reply],
  ['agent close', agentClose, wire.agentClosing],
  ['qa add', qaAdd, wire.add],
  ['qa update', qaUpdate, wire.update],
  ['failure', failureBody, wire.failure],
] as [string, z.ZodType, fc.Arbitrary<unknown>][])('%s', (_name, schema, body) => {
  property([body])('comes through unchanged', (sent) => {
    expect(validate(schema, sent)).toEqual(sent);
  });
});

describe.each(bodies)('%s: any JSON', (_name, schema) => {
  property([fc.oneof(hostileJson, fc.jsonValue(), fc.object({ maxDepth: 4 }))])(
    'passes or is a ValidationError without the values',
    (value) => {
      const error = errorFrom(() => validate(schema, value));
      expect(JSON.stringify(error?.issues ?? []) + (error?.stack ?? '')).not.toContain(CANARY);
    },
  );

  property([hostileJson])('yields ordinary objects and does not change Object.prototype', (value) => {
    const names = Object.getOwnPropertyNames(Object.prototype);
    errorFrom(() => expectOrdinaryObjects(validate(schema, value)));
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
  });
});

describe.each(['message', 'establish', 'chat', 'close'] as const)('%s: any JSON as a webhook', (endpoint) => {
  property([fc.oneof(hostileJson, hostileObject, fc.jsonValue())])(
    'passes or is a ValidationError without the values',
    (value) => {
      const error = errorFrom(() => validateWebhook(endpoint, value));
      expect(JSON.stringify(error?.issues ?? []) + (error?.stack ?? '')).not.toContain(CANARY);
    },
  );
});

describe.each(['establish', 'chat', 'close'] as const)(
  '%s: any JSON beside a known conversation',
  (endpoint) => {
    property([hostileObject])("passes, unless the user's message would be lost", (noise) => {
      const body: Record<string, unknown> = { ...noise, conversation_id: 'c' };
      const isLost = endpoint === 'chat' && isObject(body.body);
      expect(errorFrom(() => validateWebhook(endpoint, body))?.issues).toEqual(
        isLost ? [{ path: 'body', message: 'expected a string' }] : undefined,
      );
    });
  },
);

describe('a message with any JSON as its output and usage', () => {
  const anyMessage = fc
    .tuple(
      hostileObject,
      wire.messageIds,
      fc.record({ output: hostileJson, usage: hostileJson }, { requiredKeys: [], noNullPrototype: true }),
    )
    .map(([noise, ids, rest]) => {
      const { output: _output, usage: _usage, create_time: _time, ...harmless } = noise;
      return { ...harmless, ...ids, ...rest };
    });

  property([anyMessage])('passes the envelope, and so the whole schema', (body) => {
    validate(botMessageEnvelope, body);
    const message = validate(botMessage, body);
    expectOrdinaryObjects([message.output, message.usage]);
    expect(validate(botMessage, message)).toStrictEqual(message);
  });

  const envelopeFields = fc.record(
    {
      conversation_id: fc.constantFrom('c', '', 1, null),
      message_id: fc.constantFrom('m', '', 2),
      user_id: fc.constantFrom('u', '', null, 3),
      anonymous_id: fc.constantFrom('a', '', null),
      create_time: fc.constantFrom(0, 1_679_587_005, -1, 9e15, '1679587005', null),
      output: fc.constantFrom([], [{ content: { text: 'hi' } }], null, 'text'),
      istest: fc.constantFrom(true, false, 'true', null),
      extra: hostileJson,
    },
    { requiredKeys: [], noNullPrototype: true },
  );

  property([envelopeFields], { numRuns: 200 })(
    'is left alone only if the schema would not change it',
    (body) => {
      if (isNormalEnvelope(body)) expect(validate(botMessageEnvelope, body)).toStrictEqual(body);
    },
  );

  property([anyMessage])('can be read by every helper', (body) => {
    const message = validate(botMessage, body);
    expect(messageText(message)).toBeTypeOf('string');
    for (const clip of messageAudio(message)) expect(clip).toHaveProperty('transcript');
    for (const kind of unknownContentKinds(message)) expect(['text', 'audio']).not.toContain(kind);
  });

  property([hostileObject])('passes the whole schema whenever it passes the envelope', (noise) => {
    const body = { conversation_id: 'c', message_id: 'm', ...noise };
    if (errorFrom(() => validate(botMessageEnvelope, body))) return;
    expect(errorFrom(() => validate(botMessage, body))).toBeUndefined();
  });
});

describe('any JSON', () => {
  property([hostileObject])('is a probe only if its own istest says so', (body) => {
    const says = Object.hasOwn(body, 'istest') ? JSON.stringify(body.istest).toLowerCase() : '';
    expect(isProbe(body)).toBe(/^(?:true|1|"\s*(?:true|1)\s*")$/.test(says));
  });

  property([hostileJson])('is a failure only with a failure code', (body) => {
    if (!isFailureBody(body)) return;
    expect(body.code < 0 || (body.code >= 400 && body.code < 600) || body.code >= 10_000).toBe(true);
  });
});
