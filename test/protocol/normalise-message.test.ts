import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { botMessage, normaliseMessage, normaliseOrdinaryMessage } from '../../src/protocol/index.js';
import { botMessageBody } from '../fixtures/bodies.js';
import { property } from '../helpers/property.js';
import * as wire from './arbitraries.js';
import { hostileJson } from './hostile.js';

/** Expects the schema's value, with fields in the schema's order, or `null`, and an unchanged body. */
function expectAsSchema(body: unknown): void {
  const before = structuredClone(body);
  const message = normaliseOrdinaryMessage(body);
  // Not toStrictEqual, which reads an own field called "constructor" as the class of its object.
  expect(isDeepStrictEqual(body, before)).toBe(true);
  if (message === null) return;
  const parsed = botMessage.parse(body);
  expect(isDeepStrictEqual(message, parsed)).toBe(true);
  expect(JSON.stringify(message)).toBe(JSON.stringify(parsed));
}

const text = fc.option(fc.string(), { nil: null });
const figure = fc.option(fc.oneof(fc.nat(), fc.double({ noDefaultInfinity: true, noNaN: true })), {
  nil: null,
});
const figures = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, figure])), {
    requiredKeys: [],
    noNullPrototype: true,
  });
const object = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.option(fc.record(fields, { requiredKeys: [], noNullPrototype: true }), { nil: null });

/** A body as deployments send it: documented types, some fields absent or `null`, some newer than the contract. */
const ordinaryBody = fc
  .tuple(
    fc.record(
      {
        user_id: fc.constantFrom('u', null),
        anonymous_id: fc.constantFrom('a', null),
        conversation_id: fc.constant('c'),
        message_id: fc.constant('m'),
        create_time: fc.integer({ min: 1 }),
        output: fc.array(
          object({
            from_component_branch: text,
            from_component_name: text,
            content: object({
              text,
              audio: fc.option(fc.array(object({ audio: text, transcript: text }), { maxLength: 2 }), {
                nil: null,
              }),
              card: fc.jsonValue(),
            }),
          }),
          { maxLength: 3 },
        ),
      },
      { noNullPrototype: true },
    ),
    fc.record(
      {
        istest: fc.boolean(),
        usage: object({
          tokens: object({
            total_tokens: figure,
            prompt_tokens: figure,
            completion_tokens: figure,
            prompt_tokens_details: figures('audio_tokens', 'text_tokens'),
            completion_tokens_details: figures('reasoning_tokens', 'audio_tokens', 'text_tokens'),
          }),
          credits: figures('total_credits', 'text_input_credits', 'text_output_credits'),
        }),
        toString: fc.jsonValue(),
        channel: fc.jsonValue(),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([ids, rest]): unknown => JSON.parse(JSON.stringify({ ...rest, ...ids })));

type Place = { readonly holder: Record<string, unknown>; readonly name: string };

const placesIn = (value: unknown): Place[] =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).flatMap((name) => {
        const holder = value as Record<string, unknown>;
        return [{ holder, name }, ...placesIn(holder[name])];
      })
    : [];

/** An ordinary body with another value, or another field, in one place. */
const nearMiss = fc
  .tuple(
    ordinaryBody,
    fc.nat(),
    fc.oneof(
      hostileJson,
      fc.constantFrom<unknown>('', '12', '0.5', 7, -1, true, null, [], {}, Number.POSITIVE_INFINITY),
    ),
    fc.boolean(),
  )
  .map(([body, place, value, adds]) => {
    const places = placesIn(body);
    const { holder, name } = places[place % places.length] ?? { holder: {}, name: '' };
    if (adds && !Array.isArray(holder)) {
      Object.defineProperty(holder, '__proto__', {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else holder[name] = value;
    return body;
  });

describe('normalising a message without zod', () => {
  property([ordinaryBody], { numRuns: 200 })('reads every ordinary body as the schema does', (body) => {
    expect(normaliseOrdinaryMessage(body)).not.toBeNull();
    expectAsSchema(body);
  });

  property([nearMiss], { numRuns: 500 })(
    'reads a nearly valid body as the schema does, or leaves it to the schema',
    (body) => {
      expectAsSchema(body);
    },
  );

  property([wire.message], { numRuns: 200 })(
    'reads any valid body as the schema does, or leaves it to the schema',
    (body) => {
      expectAsSchema(body);
    },
  );

  property([hostileJson])('leaves any other JSON to the schema', (value) => {
    expectAsSchema(value);
  });

  it('reads the documented example', () => {
    expect(normaliseOrdinaryMessage(botMessageBody())).not.toBeNull();
  });

  it.each([
    ['an id that is a number', { user_id: 7 }],
    ['content that is a string', { output: [{ content: 'hello' }] }],
    ['one clip instead of a list', { output: [{ content: { audio: { transcript: 'hi' } } }] }],
    ['tokens as a list', { usage: { tokens: [{ total_tokens: 3 }] } }],
    ['a figure as digits', { usage: { credits: { total_credits: '0.5' } } }],
    ['an infinite figure', { usage: { credits: { total_credits: Number.POSITIVE_INFINITY } } }],
  ])('leaves %s to the schema', (_what, fields) => {
    const body = botMessageBody(fields);
    expect(normaliseOrdinaryMessage(body)).toBeNull();
  });

  it('shares nothing with the body that a handler could change', () => {
    const body = botMessageBody();
    const before = structuredClone(body);
    const message = normaliseOrdinaryMessage(body);
    for (const item of message?.output ?? []) {
      item.content.text = 'changed';
      item.content.audio.push({ audio: null, transcript: 'changed' });
    }
    if (message) message.usage.tokens.total_tokens = -1;
    expect(body).toEqual(before);
  });
});

describe('normaliseMessage', () => {
  it('falls back to the schema', () => {
    const body = { ...botMessage.parse(botMessageBody()), output: ['hello'] };
    expect(normaliseMessage(body).output[0]?.content.text).toBe('hello');
  });
});
