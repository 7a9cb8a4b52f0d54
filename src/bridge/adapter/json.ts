import type { z } from 'zod';
import { AdapterError } from './adapter-types.js';

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value when it is an object, otherwise an empty one, so that reading a field of it gives `undefined`. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The objects of an array; empty when the value is not an array. */
export const asObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The value when it is a string, otherwise an empty one. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses the body of a webhook. Fails with `invalid` and the message when it is not JSON. */
export function parseJson(body: Buffer | string, message: string): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Without the cause: it quotes the body, which may contain message texts.
    throw new AdapterError('invalid', message);
  }
}

/** Reads a value that the helpdesk sent. Fails with `invalid` and the message when it has another form. */
export function readAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  message: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AdapterError('invalid', message);
}
