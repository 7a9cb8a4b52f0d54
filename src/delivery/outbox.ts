import { hash } from 'node:crypto';
import { type ServiceClient, ServiceError } from '../client/index.js';
import type { Receipt, ReplyOptions } from '../events/index.js';
import { HandoffKitError } from '../internal/index.js';
import { humanClose, humanReply, validate } from '../protocol/index.js';
import { type Backoff, delayAfter } from './backoff.js';

/** What is sent to a handed-over conversation: words, or its end. */
export type StoredReply =
  | { readonly kind: 'reply'; readonly text: string; readonly timestamp: number }
  | { readonly kind: 'close'; readonly timestamp: number };

/** How replies are sent that could not be sent at once. */
export interface OutboxPolicy extends Backoff {
  /**
   * What to do with a reply of which nobody knows whether it arrived: its answer was lost, or the process died
   * while it waited. `resend` may show it to the user twice, `park` may not show it at all.
   */
  readonly whenUnknown: 'resend' | 'park';
  /** After this time a reply is not tried any more. */
  readonly giveUpAfterMs: number;
}

/** The policy unless told otherwise. A message twice is better than a message lost. */
export const DEFAULT_OUTBOX: OutboxPolicy = {
  whenUnknown: 'resend',
  giveUpAfterMs: 86_400_000,
  minDelayMs: 1_000,
  maxDelayMs: 60_000,
};

/** Refuses at once what the service would never take, so that whoever replies hears of it. */
export function checkReply(client: ServiceClient | null, conversationId: string, reply: StoredReply): void {
  if (!client) {
    throw new HandoffKitError(
      'SERVICE_NOT_CONFIGURED',
      'cannot reply or close: this receiver was not told where the service is. Pass service: { baseUrl, apiKey } to createReceiver.',
    );
  }
  const { timestamp } = reply;
  if (reply.kind === 'reply')
    validate(humanReply, { conversation_id: conversationId, timestamp, body: reply.text });
  else validate(humanClose, { conversation_id: conversationId, timestamp });
}

/** Sends a stored reply. */
export function sendReply(
  client: ServiceClient,
  conversationId: string,
  reply: StoredReply,
): Promise<unknown> {
  const { timestamp } = reply;
  if (reply.kind === 'close') return client.end({ conversationId, timestamp });
  return client.reply({ conversationId, text: reply.text, timestamp });
}

/** What the key of a reply is: the caller's, within its conversation, or one that no other reply has. */
export function replyKey(conversationId: string, { once }: ReplyOptions, unique: string): string {
  return once === undefined ? unique : hash('sha256', JSON.stringify([conversationId, once]), 'base64url');
}

/** What to do with a reply after a failure: when to send it again, or `null` to park it. */
export function retryReplyAfter(
  error: unknown,
  { attempts, ageMs }: { readonly attempts: number; readonly ageMs: number },
  policy: OutboxPolicy,
): number | null {
  if (!(error instanceof ServiceError) || ageMs > policy.giveUpAfterMs) return null;
  const again = error.retryable || (error.outcome === 'unknown' && policy.whenUnknown === 'resend');
  return again ? Math.max(delayAfter(attempts, policy), error.retryAfterMs ?? 0) : null;
}

/** The error of a reply that is parked because nobody knows whether it arrived. */
export const interrupted = (): HandoffKitError =>
  new HandoffKitError(
    'OUTCOME_UNKNOWN',
    'the process ended while this reply was being sent, so it may have arrived. It is parked: send it again or discard it.',
  );

/** The receipts that somebody in this process waits for. */
export interface Receipts {
  /** A receipt for a stored reply. */
  open(id: string, conversationId: string): Receipt;
  delivered(id: string, answer: unknown): void;
  failed(id: string, error: unknown): void;
}

/** Makes {@link Receipts}. */
export function createReceipts(): Receipts {
  const waiting = new Map<string, { resolve(answer: unknown): void; reject(error: unknown): void }>();
  const settle = (id: string) => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };
  return {
    open(id, conversationId) {
      const delivered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      // Most callers are content with the receipt; a failure that nobody waits for is reported elsewhere.
      delivered.catch(() => undefined);
      return { conversationId, delivered };
    },
    delivered: (id, answer) => settle(id)?.resolve(answer),
    failed: (id, error) => settle(id)?.reject(error),
  };
}

/** What a list of parked items shows of an error: never what was in the item. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, 500);
}
