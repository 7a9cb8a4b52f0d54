import { type PlatformClient, PlatformError } from '../../client/index.js';
import { isUnknownConversation, type TracedReply } from '../../events/index.js';
import { type Backoff, delayAfter, HandoffKitError } from '../../internal/index.js';
import type { DeliveryReceiver } from '../delivery.js';
import type { ClaimedJob, JobOutcome } from '../queue.js';
import { describeError } from '../run-handlers.js';
import { concernsEveryReply, concernsThisReply, type OutboxPause } from './outbox-pause.js';
import type { Receipts } from './receipts.js';

/** A reply to a handed-over conversation, or its end, as it is stored. Its bot is that of the outbox. */
export type StoredReply = {
  readonly conversationId: string;
  /** The platform's id of the conversation, where it differs. */
  readonly platformId?: string;
  readonly timestamp: number;
} & TracedReply &
  ({ readonly kind: 'reply'; readonly text: string } | { readonly kind: 'close' });

/** How replies are retried. */
export interface OutboxPolicy extends Backoff {
  /**
   * Policy for a reply whose outcome is unknown, because its answer was lost or the process ended meanwhile. With
   * `resend` the user may see it twice; with `dead-letter` it becomes a dead letter, and the user may not see it.
   */
  readonly whenUnknown: 'resend' | 'dead-letter';
  /** After this time a failing reply becomes a dead letter. */
  readonly giveUpAfterMs: number;
}

/** Resends by default: a repeated message is better than a lost one. */
export const DEFAULT_OUTBOX: OutboxPolicy = {
  whenUnknown: 'resend',
  giveUpAfterMs: 86_400_000,
  minDelayMs: 1_000,
  maxDelayMs: 60_000,
};

interface SendJobOptions {
  readonly bot: string;
  readonly client: PlatformClient;
  readonly receipts: Receipts;
  readonly policy: OutboxPolicy;
  readonly pause: OutboxPause;
  /** Gets reports of replies that become dead letters. */
  readonly receiver: DeliveryReceiver;
  readonly isClaimValid: (claim: number) => boolean;
}

/** Creates the function that sends a stored reply once and returns the job's outcome. Never rejects. */
export function createSendJob(options: SendJobOptions): (job: ClaimedJob) => Promise<JobOutcome> {
  const { bot, client, receipts, policy, pause, receiver, isClaimValid } = options;
  return async ({ id, content, attempt, interrupted, createdAt, claim }) => {
    // After a pause, another process may have sent this reply, and later ones.
    const maySend = (): boolean => isClaimValid(claim);
    let reply: StoredReply | undefined;
    const sending = pause.begin(id);
    try {
      reply = JSON.parse(content) as StoredReply;
      if (interrupted && policy.whenUnknown === 'dead-letter') throw interruptedError();
      const answer = await send(client, reply, maySend);
      sending.keyAccepted();
      receipts.delivered(id, answer);
      return { state: 'done' };
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'ABORTED')
        return { state: 'released', interrupted: error.outcome === 'unknown' };
      const isPaused = concernsEveryReply(error) && sending.refused(error) === 'paused';
      if (concernsThisReply(error)) sending.keyAccepted();
      const age = { attempt, ageMs: Date.now() - createdAt, isPaused };
      const retryInMs = retryReplyAfter(error, age, policy);
      if (retryInMs === null) {
        receiver.report(error, { bot, ...(reply && { conversationId: reply.conversationId }), attempt });
        receipts.failed(id, error);
      }
      return { state: 'failed', error: describeError(error), retryInMs, counts: true };
    }
  };
}

function send(client: PlatformClient, reply: StoredReply, maySend: () => boolean): Promise<unknown> {
  const { timestamp, trace } = reply;
  const conversationId = reply.platformId ?? reply.conversationId;
  const options = { maySend, trace };
  if (reply.kind === 'close') return client.end({ conversationId, timestamp }, options);
  return client.reply({ conversationId, text: reply.text, timestamp }, options);
}

/** Servers ask for more by mistake, for example with an absolute time where seconds are expected. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Attempts after which a conversation that the platform does not know counts as ended. A worker may send the first reply
 * of a handoff while the platform still reads the answer to its request.
 */
const EARLY_ATTEMPTS = 3;

interface ReplyAttempt {
  readonly attempt: number;
  readonly ageMs: number;
  /** Whether the outbox pauses because of the failure. */
  readonly isPaused: boolean;
}

/** The delay before a reply is sent again; `null` makes it a dead letter. */
function retryReplyAfter(
  error: unknown,
  { attempt, ageMs, isPaused }: ReplyAttempt,
  policy: OutboxPolicy,
): number | null {
  if (!(error instanceof PlatformError) || ageMs > policy.giveUpAfterMs) return null;
  const isResent = error.outcome === 'unknown' && policy.whenUnknown === 'resend';
  const isEarly = isUnknownConversation(error) && attempt <= EARLY_ATTEMPTS;
  if (!error.retryable && !isResent && !isPaused && !isEarly) return null;
  const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return Math.max(delayAfter(attempt, policy), askedMs);
}

const interruptedError = (): HandoffKitError =>
  new HandoffKitError(
    'OUTCOME_UNKNOWN',
    'the process ended while this reply was being sent, so it may have arrived. It is a dead letter: send it again or discard it.',
  );
