import { z } from 'zod';
import { isRecord } from '../internal/index.js';

/**
 * The contract does not name the unit of times. Each unit covers the years 1973 to 5138; these are the first values in
 * milliseconds, microseconds and nanoseconds, and the first invalid value.
 */
const FIRST_MILLISECONDS = 1e11;
const FIRST_MICROSECONDS = 1e14;
const FIRST_NANOSECONDS = 1e17;
const TIME_LIMIT = 1e20;

/** Wraps a value that is not an object: a plain value becomes `{ [field]: value }`, a list `{ value }`. */
export const recordOr =
  (field: string) =>
  (value: unknown): Record<string, unknown> => {
    if (isRecord(value)) return value;
    if (isEmpty(value)) return {};
    return { [typeof value === 'object' ? 'value' : field]: value };
  };

/** Wraps a single value in a list; a missing value becomes an empty list. */
export const asList = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  return isEmpty(value) ? [] : [value];
};

/** Like {@link asList}, without lists within the list. */
export const nestedList = (value: unknown): unknown[] => asList(value).flat(Number.POSITIVE_INFINITY);

/** Whether a value stands for none. */
export const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** A plain value as text; `null` for any other value. */
export const toText = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isFinite(value) ? String(value) : null;
};

const toId = (value: unknown): string | null =>
  typeof value === 'string' || Number.isSafeInteger(value) ? String(value) || null : null;

/** Whether a value is a time in seconds, milliseconds, microseconds or nanoseconds. Zero stands for none. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < TIME_LIMIT;

const DECIMAL = /^\d{1,20}(?:\.\d{1,9})?$/;

function toTime(value: unknown): number | null {
  const time = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value;
  return isTime(time) ? time : null;
}

const ROUNDED =
  'expected a string: this number is above 2^53 and was rounded by a JSON parser before the receiver. Mount the receiver before it, or keep req.rawBody';

/** An identifier. Some platforms send numbers where the contract says string; handlers see a string. */
export const id = z.union([z.string().min(1), z.int().transform(String)], {
  error: ({ input }) => (Number.isInteger(input) ? ROUNDED : 'expected a non-empty string'),
});

/** An identifier that may be missing. Handlers see `null` for anything but a string or a whole number. */
export const optionalId = z.preprocess(toId, z.string().nullable());

/** Text that may be missing. Handlers see numbers and booleans as text, and `null` for anything else. */
export const optionalText = z.preprocess(toText, z.string().nullable());

/** The words of a plain value, of an object with `text`, or of a list of them. */
const wordsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  if (isRecord(value)) return wordsIn(value.text);
  const plain = toText(value);
  return plain === null ? [] : [plain];
};

/** Text, or a list or an object that has some: one line for each. Handlers see `null` for anything else. */
export const lines = z.preprocess(
  (value) => (typeof value === 'object' ? wordsIn(value).join('\n') || null : toText(value)),
  z.string().nullable(),
);

/** Transcript text: like {@link lines}, but empty instead of `null`. */
export const text = z.preprocess((value) => wordsIn(value).join('\n'), z.string());

/** A user's text: like {@link text}, but a list or an object is refused, because its content would be lost. */
export const words = z.preprocess(
  (value) => (isEmpty(value) ? '' : (toText(value) ?? value)),
  z.string({ error: 'expected a string' }),
);

/** A point in time, sent as a number or as digits; `null` for anything else. See {@link toDate}. */
export const time = z.preprocess(toTime, z.number().nullable());

/** A statistical figure. Any value but a number becomes `null` and does not invalidate the body. */
export const quantity = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number()),
  ])
  .nullable()
  // Before `catch`, which would build an error for every missing figure.
  .default(null)
  .catch(null);

/** Deployments also send `istest` as text or as a number. */
export const isYes = (value: unknown): boolean => /^(?:true|1)$/i.test(String(toText(value)).trim());

const isNo = (value: unknown): boolean => /^(?:false|0)$/i.test(String(toText(value)).trim());

/** `undefined` for a value that is neither yes nor no. */
export const toBoolean = (value: unknown): boolean | undefined =>
  isYes(value) || (isNo(value) ? false : undefined);

/** `istest` marks an availability test. A value that is neither yes nor no does not invalidate the body. */
export const istest = z.preprocess(toBoolean, z.boolean().optional()).optional();

/** Unknown enum values must not break a running receiver. */
export function openEnum<const Known extends readonly [string, ...string[]]>(known: Known) {
  return z.string().meta({ examples: [...known] }) as z.ZodType<Known[number] | (string & {}), string>;
}

/** Like {@link openEnum}, or missing. Handlers see `null` for an empty text and for anything that is not text. */
export const optionalEnum = <const Known extends readonly [string, ...string[]]>(known: Known) =>
  z.preprocess((value) => toText(value) || null, openEnum(known).nullable());

/**
 * Converts a wire time to a `Date`. Deployments use different units: a value below 1e11 is read as seconds, below 1e14 as
 * milliseconds, below 1e17 as microseconds, any other as nanoseconds.
 *
 * @example toDate(1679587005) // 2023-03-23T15:56:45.000Z, as is toDate(1679587005000)
 */
export function toDate(value: number): Date {
  if (value < FIRST_MILLISECONDS) return new Date(value * 1e3);
  if (value < FIRST_MICROSECONDS) return new Date(value);
  return new Date(value < FIRST_NANOSECONDS ? value / 1e3 : value / 1e6);
}

/** Two messages may share a time in whole seconds. */
export const isWholeSeconds = (value: number): boolean =>
  value < FIRST_MILLISECONDS && Number.isInteger(value);
