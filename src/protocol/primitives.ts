import { z } from 'zod';

/** The latest moment a `Date` can hold, in milliseconds. */
export const LATEST_TIME = 8.64e15;

/** Smaller times are seconds, the others milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
const FIRST_MILLISECONDS = 1e11;

/** Whether a value is an object and not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const digits = z
  .string()
  .regex(/^\d{1,16}$/, 'expected a number or a string of digits')
  .transform(Number)
  .pipe(z.number().max(LATEST_TIME));

/** An identifier. Some deployments send numbers where the contract says string; handlers see a string. */
export const id = z.union([z.string().min(1), z.int().transform(String)], {
  error: 'expected a non-empty string',
});

/** An identifier that may be missing, `null` or empty; handlers see `null` in all three cases. */
export const optionalId = id
  .or(z.literal('').transform(() => null))
  .nullable()
  .default(null);

/** Text that may be missing or `null`; handlers see `null` in both cases. */
export const optionalText = z.string().nullable().default(null);

/** A point in time: seconds or milliseconds, sent as a number or as digits. See {@link toDate}. */
export const time = z
  .union([z.number().min(0).max(LATEST_TIME), digits], { error: 'expected a timestamp' })
  .nullable()
  .default(null);

/** A figure for statistics. A value that is not a number becomes `null` and never refuses the body. */
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
  // Before `catch`, which would build an error for every missing figure only to drop it.
  .default(null)
  .catch(null);

/** `istest` identifies an availability test. Only the boolean `true` counts; other values do not refuse the body. */
export const istest = z.boolean().optional().catch(undefined);

/** One of the values the contract names, or a newer one: a new value must not break a running receiver. */
export function openEnum<const Known extends readonly [string, ...string[]]>(known: Known) {
  return z.string().meta({ examples: [...known] }) as z.ZodType<Known[number] | (string & {}), string>;
}

/**
 * Converts a time of the wire to a `Date`. The contract does not name the unit, and deployments use both: a value
 * below 1e11 is read as seconds, any other as milliseconds.
 *
 * @example toDate(1679587005) // 2023-03-23T15:56:45.000Z, as is toDate(1679587005000)
 */
export function toDate(value: number): Date {
  return new Date(value < FIRST_MILLISECONDS ? value * 1000 : value);
}
