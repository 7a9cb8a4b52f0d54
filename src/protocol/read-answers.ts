import { z } from 'zod';
import { isRecord } from '../internal/index.js';
import type { DocumentResult, QaAnswer } from './knowledge.js';
import { WEBHOOK_TYPES, type WebhookCheckResult } from './platform-api.js';
import { asList, id, openEnum, optionalId, optionalText, quantity, text, toBoolean } from './primitives.js';
import { invalidBody } from './validate.js';

/** The platform's result for a request's pairs or files. */
export interface QaResult extends QaAnswer {
  /**
   * How many of the request's documents the platform reported neither as done nor as failed; 0 unless it breaks its
   * contract. Check the bot's knowledge before you send them again.
   */
  missing: number;
}

/**
 * Reads the answer to a request for `requested` documents. Entries without an id are dropped and counted in `missing`, so
 * that no id is lost. Throws a `ValidationError` if the answer has neither list.
 */
export function readQaAnswer(body: unknown, requested: number): QaResult {
  if (!isRecord(body)) throw invalidBody('', 'expected an object with doc and failed');
  const doc = asList(body.doc).flatMap(readDocument);
  const failed = asList(body.failed).flatMap(readName);
  if (doc.length === 0) {
    const lists = [body.doc, body.failed];
    const hasBoth = lists.every((list) => list === null || Array.isArray(list)) && lists.some(Array.isArray);
    if (!hasBoth) throw invalidBody('doc', 'expected the lists doc and failed');
    if (asList(body.doc).length > 0) throw invalidBody('doc[0].doc_id', 'expected the id of a document');
  }
  return { ...body, doc, failed, missing: Math.max(0, requested - doc.length - failed.length) };
}

function readDocument(entry: unknown): DocumentResult[] {
  const docId = isRecord(entry) ? id.safeParse(entry.doc_id) : null;
  if (!isRecord(entry) || !docId?.success) return [];
  return [{ ...entry, doc_id: docId.data, doc_name: id.safeParse(entry.doc_name).data ?? null }];
}

/** The name of a file that failed, alone or as a field. */
function readName(entry: unknown): string[] {
  const { data } = id.safeParse(isRecord(entry) ? (entry.file_name ?? entry.doc_name) : entry);
  return data === undefined ? [] : [data];
}

const checkResult: z.ZodType<WebhookCheckResult> = z.looseObject({
  type: text.pipe(openEnum(WEBHOOK_TYPES)),
  component_id: optionalId.catch(null),
  component_name: optionalId.catch(null),
  webhook_url: optionalText,
  reachable: z.union([z.boolean(), z.unknown().transform(toBoolean).pipe(z.boolean())]),
  http_status: quantity,
  latency_ms: quantity,
});

/** The platform's results, and how many of them could not be read. */
export interface WebhookCheck {
  /** One entry for each configured webhook. */
  readonly results: readonly WebhookCheckResult[];
  /** How many results do not say whether their webhook is reachable; 0 unless the platform breaks its contract. */
  readonly unreadable: number;
}

/** Reads the answer to a webhook check, row by row. Throws a `ValidationError` if no row can be read. */
export function readCheckAnswer(body: unknown): WebhookCheck {
  if (!isRecord(body) || !Array.isArray(body.results)) throw invalidBody('results', 'expected a list');
  const rows: readonly unknown[] = body.results;
  const results = rows.flatMap((row) => checkResult.safeParse(row).data ?? []);
  if (results.length === 0 && rows.length > 0)
    throw invalidBody('results[0].reachable', 'expected true or false');
  return { ...body, results, unreadable: rows.length - results.length };
}
