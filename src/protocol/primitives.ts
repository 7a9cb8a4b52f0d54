import { z } from 'zod';

/** The latest moment a `Date` can hold, in milliseconds. */
export const LATEST_TIME = 8.64e15;

/** Below this a time counts seconds, from it on milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
const FIRST_MILLISECONDS = 1e11;

const digits = z
  .string()
  .regex(/^\d{1,16}$/, 'expected a number or a string of digits')
  .transform(Number)
  .pipe(z.number().max(LATEST_TIME));

/** An identifier. Some deployments send numbers where the contract says string; a handler sees a string. */
export const id = z.union([z.string().min(1), z.int().transform(String)], {
  error: 'expected a non-empty string',
});

/** An identifier that may be null or missing; a handler sees `null` then. */
export const optionalId = id
  .or(z.literal('').transform(() => null))
  .nullable()
  .default(null);

/** Text that may be null or missing; a handler sees `null` then. */
export const optionalText = z.string().nullable().default(null);

/** A point in time as sent: seconds or milliseconds, a number or digits. See {@link toDate}. */
export const time = z
  .union([z.number().min(0).max(LATEST_TIME), digits], { error: 'expected a timestamp' })
  .nullable()
  .default(null);

/** A quantity whose exact form nobody's answer depends on: anything that is no number becomes `null`. */
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
  // Before `catch`, which would make an error of every figure that is missing, only to drop it.
  .default(null)
  .catch(null);

/** The mark of an availability test. Only the boolean `true` counts; any other value is no reason to refuse. */
export const istest = z.boolean().optional().catch(undefined);

/** One of the values the contract names, or a newer one: a new value must never break a running receiver. */
export function openEnum<const Known extends readonly [string, ...string[]]>(known: Known) {
  return z.string().meta({ examples: [...known] }) as z.ZodType<Known[number] | (string & {}), string>;
}

/**
 * Turns a time of the wire into a `Date`. The contract does not say the unit, and deployments use both:
 * a value below 1e11 is taken as seconds, any other as milliseconds.
 *
 * @example toDate(1679587005) // 2023-03-23T15:56:45.000Z, as is toDate(1679587005000)
 */
export function toDate(value: number): Date {
  return new Date(value < FIRST_MILLISECONDS ? value * 1000 : value);
}
