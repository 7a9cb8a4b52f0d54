import * as fc from 'fast-check';

/** A user's message, which must not appear in errors. */
export const CANARY = 'canary-7f3a';

/** Field names of the schemas, and names with a meaning to JavaScript. */
const NAMES = (
  'conversation_id message_id timestamp create_time output usage body user_info content text audio transcript ' +
  'tokens credits total_tokens total_credits prompt_tokens_details value type purpose qaList files results doc ' +
  'code istest __proto__ constructor prototype toString valueOf hasOwnProperty length 0'
).split(' ');

/** Comparing this value throws. */
const INCOMPARABLE = { toString: 0, valueOf: 0 };

const leaf = fc.oneof(
  fc.constant({ length: INCOMPARABLE }),
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e300, '', '1', '9'.repeat(400), CANARY, 'QA_TEXT'),
  fc.jsonValue({ maxDepth: 1 }),
);

/** `fromEntries` makes `__proto__` an own property, as `JSON.parse` does. */
const objectOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), fc.string()), value), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries));

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, depthIdentifier: 'hostile' },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    objectOf(tie('tree')),
  ),
}));

/** Any JSON, mostly with field names of the schemas. */
export const hostileJson: fc.Arbitrary<unknown> = tree;

/** An object with any JSON in its fields. */
export const hostileObject = objectOf(tree);

/** Every object and list within a value. */
export function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
