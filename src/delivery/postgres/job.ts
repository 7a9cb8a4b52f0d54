import { hash } from 'node:crypto';
import type { Job, JobInsert, JobWithMetadata } from 'pg-boss';
import type { Work } from '../work.js';

/**
 * What the engine keeps of an item. It is JSON in the database, which takes neither NUL nor half a surrogate
 * pair; so what others wrote is in it as JSON text, where these are spelled out.
 */
export interface JobData {
  /** The event's name, or `reply` or `close`. */
  readonly what: string;
  /** The conversation, as JSON text. */
  readonly lane: string;
  /** How long it is remembered once it is done, in seconds. */
  readonly rememberS: number;
  /** Attempts that do not count, since it was parked after them and let go again. */
  readonly before: number;
  /** The key, as JSON text; gone once it is done, since it may tell what somebody wrote. */
  readonly key?: string;
  /** JSON text; gone once it is done. */
  readonly content?: string;
}

/** How an attempt that did not succeed ended, as the engine keeps it. */
export interface JobOutput {
  /** `interrupted`: it was begun and nobody knows how it ended. */
  readonly end: 'failed' | 'interrupted';
  /** Why, as JSON text; not there when it was not even begun. */
  readonly error?: string;
}

/** Which attempt at which job; an ending that comes after the attempt was taken over has no effect. */
export interface Claim {
  readonly id: string;
  readonly retryCount: number;
}

/** An item whose attempt has begun. */
export interface Item extends Work {
  readonly claim: Claim;
}

/** What is put into a queue. */
export interface NewItem {
  /** No second item with it is taken, for as long as the first is remembered. */
  readonly key: string;
  readonly conversationId: string;
  readonly what: string;
  readonly content: string;
}

/** The id of the item with a key: the same wherever the key is the same. */
export function idOf(key: string): string {
  const digits = hash('sha256', JSON.stringify(key), 'hex');
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/** What stands for a conversation in an index, which takes neither every character nor any length. */
export function laneOf(conversationId: string): string {
  if (/^[\w.:@-]{1,200}$/.test(conversationId)) return conversationId;
  return `#${hash('sha256', JSON.stringify(conversationId), 'base64url')}`;
}

/** Writes an item for the engine. */
export function toJob({ key, conversationId, what, content }: NewItem, rememberS: number) {
  const data: JobData = {
    what,
    lane: JSON.stringify(conversationId),
    rememberS,
    before: 0,
    key: JSON.stringify(key),
    content,
  };
  const job = { id: idOf(key), singletonKey: laneOf(conversationId), data, deleteAfterSeconds: rememberS };
  return job satisfies JobInsert;
}

/** A job as {@link toJob} makes it. */
export type NewJob = ReturnType<typeof toJob>;

/**
 * Reads a job whose attempt has begun. How the attempt before ended, and when it was stored, is known only of jobs
 * that come with all the engine has of them.
 */
export function toItem(job: Job<JobData> & Partial<JobWithMetadata<JobData>>): Item {
  const { id, retryCount, data, createdOn = Date.now() } = job;
  const output = job.output as Partial<JobOutput> | null | undefined;
  return {
    id,
    claim: { id, retryCount },
    key: readText(data.key),
    conversationId: readText(data.lane),
    content: data.content ?? null,
    attempts: retryCount + 1 - data.before,
    interrupted: retryCount > 0 && output !== undefined && output?.end !== 'failed',
    createdAt: new Date(createdOn).getTime(),
  };
}

/** Writes down how an attempt ended. */
export const toOutput = (end: JobOutput['end'], error: string): JobOutput => ({
  end,
  error: JSON.stringify(error),
});

/** Reads JSON text that holds a string. */
export const readText = (text: unknown): string => (typeof text === 'string' ? String(JSON.parse(text)) : '');
