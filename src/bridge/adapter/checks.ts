/**
 * Checks of what an adapter gets from outside: its settings, the helpdesk's JSON, and values it stored.
 *
 * @module
 */
import type { z } from 'zod';
import { configError } from '../../internal/index.js';
import { type AdapterCheckResult, AdapterError, type ConversationRef } from './adapter-types.js';

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

/** The secrets of a setting, which has several during a rotation. Throws a configuration error when one is empty. */
export function checkSecrets(secret: string | readonly string[], message: string): readonly string[] {
  const secrets = [secret].flat().map((each) => each.trim());
  if (secrets.length > 0 && !secrets.includes('')) return secrets;
  throw configError(message);
}

/** Throws a configuration error when one of the values is empty or has white space, as a truncated copy has. */
export function checkWords(helpdesk: string, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== '' && !/\s/.test(value)) continue;
    throw configError(`${helpdesk}: ${name} must not be empty or contain white space; copy it again.`);
  }
}

/** Throws a configuration error when one of the values has other characters than an id in a path. */
export function checkIds(helpdesk: string, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (/^[\w-]+$/.test(value)) continue;
    throw configError(
      `${helpdesk}: ${name} must be letters, digits, hyphens and underscores; copy it again.`,
    );
  }
}

/** A value that `open` returned in `extra`. Fails with `invalid` when another adapter opened the conversation. */
export function readExtra(helpdesk: string, { extra }: Pick<ConversationRef, 'extra'>, name: string): string {
  const value = extra[name];
  if (value) return value;
  throw new AdapterError('invalid', `This conversation was not opened by the ${helpdesk} adapter.`);
}

/** The result of a check for a secret that only a webhook can prove right. */
export const secretResult = (name: string): AdapterCheckResult => ({
  name,
  ok: true,
  detail: 'Set. The first webhook shows whether it is the right one.',
});

/** Runs one check of an adapter's setup: the finding, or the failure with its remedy. */
export async function runCheck(
  name: string,
  check: () => Promise<string>,
  remedy: string,
): Promise<AdapterCheckResult> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { name, ok: false, detail: `${error.message} ${remedy}`.trim() };
  }
}
