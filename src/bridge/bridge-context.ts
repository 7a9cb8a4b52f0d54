import { hash } from 'node:crypto';
import type { User } from '../events/index.js';
import {
  type AdapterLink,
  type Conversation,
  type ConversationChange,
  type HandoffLifecycle,
  type HandoffStore,
  isOpen,
} from '../handoff/index.js';
import type { Log } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import type { Adapter } from './adapter/adapter.js';
import {
  AdapterError,
  type ConversationRef,
  type HandoffSession,
  type OpenedConversation,
} from './adapter/adapter-types.js';
import { divideTranscript, sendable } from './adapter/text.js';
import { type AdapterCalls, type AuthFailureLog, type CallRetry, pause } from './calls/adapter-calls.js';
import type { BridgeSettings, RenderMessage } from './options.js';
import type { Ownership } from './ownership.js';

/** Everything the modules of one bridge share. Created once, in `createBridge`. */
export interface BridgeContext {
  readonly adapter: Adapter;
  readonly conversations: Receiver['conversations'];
  readonly lifecycle: HandoffLifecycle;
  /** Whether replies are stored before they are sent. */
  readonly isStored: boolean;
  readonly settings: BridgeSettings;
  readonly ownership: Ownership;
  readonly calls: AdapterCalls;
  readonly retry: CallRetry;
  readonly auth: AuthFailureLog;
  readonly renderMessage: RenderMessage;
  readonly counters: Counters;
  /** Redacts secrets and message texts. */
  readonly log: Log;
  /** Identifies this process as the holder of leases in the shared store. */
  readonly instanceId: string;
  /** Aborts when the background loops must stop. */
  readonly stopSignal: AbortSignal;
}

/** How long idempotency keys are kept: a repeat that arrives later takes effect again. */
export const KEY_TTL_MS = 7 * 86_400_000;

/** A task that one process at a time repeats until {@link BridgeContext.stopSignal} aborts. */
export interface BackgroundTask {
  /** The task takes this lease; it is released at the end, so that another process continues at once. */
  readonly lease: string;
  /** Logged when a run fails. The loop continues. */
  readonly failure: string;
  run(): Promise<void>;
  /** The wait after a run, with the number of runs that have failed in a row. */
  waitMs(failures: number): number;
}

/** Repeats a task. Resolves when the loop has stopped. */
export async function repeatInBackground(
  { lifecycle, stopSignal, auth, log, instanceId }: BridgeContext,
  task: BackgroundTask,
): Promise<void> {
  for (let failures = 0; !stopSignal.aborted; ) {
    try {
      await task.run();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
      else if (!stopSignal.aborted) log.warn({ err: error, failures }, task.failure);
    }
    await pause(task.waitMs(failures), stopSignal);
  }
  await lifecycle.store.release(task.lease, instanceId).catch(() => undefined);
}

/** Counters of a bridge since it was created. */
export interface BridgeStats {
  /** Conversations opened in the helpdesk. */
  readonly opened: number;
  /** Handoffs refused because the helpdesk could not take them, or outside business hours. */
  readonly refused: number;
  /** Conversations that opened after the user was refused, and were closed again. */
  readonly orphans: number;
  /** Messages sent to the helpdesk. Each part of a split message counts. */
  readonly sent: number;
  /** Messages of users that reached no agent, since the conversation had ended. Each is in the log. */
  readonly lost: number;
  /** Replies of agents sent to users. */
  readonly replied: number;
  /** Conversations closed by an agent. */
  readonly closedByAgent: number;
  /** Conversations closed in the helpdesk because the user, the platform or handoff-kit ended them. */
  readonly closedInHelpdesk: number;
  /** Closes that were given up: the helpdesk refused them, or kept failing at them alone. Each is in the log. */
  readonly unclosed: number;
  /** Events of the helpdesk without effect: echoes, notes, repeats, other conversations, events after the close. */
  readonly dropped: number;
  /** Of these, events that may have been about a conversation whose opening had no outcome. Each is in the log. */
  readonly unmatched: number;
  /** Webhook requests with a missing, wrong or stale signature. */
  readonly forged: number;
  /** Times an event was postponed because the helpdesk was unavailable. */
  readonly postponed: number;
  /** Times the helpdesk stopped answering, so that calls were paused. */
  readonly outages: number;
}

/** Increments and reads {@link BridgeStats}. */
export interface Counters {
  count(name: keyof BridgeStats): void;
  read(): BridgeStats;
}

export function createCounters(): Counters {
  const counts: Record<keyof BridgeStats, number> = {
    opened: 0,
    refused: 0,
    orphans: 0,
    sent: 0,
    lost: 0,
    replied: 0,
    closedByAgent: 0,
    closedInHelpdesk: 0,
    unclosed: 0,
    dropped: 0,
    unmatched: 0,
    forged: 0,
    postponed: 0,
    outages: 0,
  };
  return {
    count(name) {
      counts[name] += 1;
    },
    read: () => ({ ...counts }),
  };
}

/**
 * Identifies a conversation in the helpdesk. The same on every attempt to open it; a handoff requested again after
 * its end is a new session, with another key.
 */
export function sessionKey({ id, session }: Pick<Conversation, 'id' | 'session'>): string {
  return hash('sha256', JSON.stringify([id, session]), 'hex').slice(0, 32);
}

/** The conversation as `open` and `find` receive it. */
export function toSession(
  conversation: Conversation,
  { capabilities }: Pick<Adapter, 'capabilities'>,
): HandoffSession {
  const { id, bot, user, botId, requestedAt, replyBy } = conversation;
  const transcript = conversation.transcript.map((item) => ({ ...item, text: sendable(item.text) }));
  const { opening, later } = divideTranscript(transcript, capabilities.maxTextLength);
  return {
    key: sessionKey(conversation),
    conversationId: id,
    bot,
    user: sendableUser(user),
    botId,
    transcript: opening,
    ...(later.length > 0 && { later }),
    requestedAt,
    replyBy,
  };
}

/** The stored form of an {@link OpenedConversation}. */
export function toLink(adapter: string, { externalId, url, extra = {} }: OpenedConversation): AdapterLink {
  return { adapter, externalId, url: url ?? null, extra };
}

/** The conversation as `send` and `close` receive it. */
export function toRef(
  { id, bot, user }: Pick<Conversation, 'id' | 'bot' | 'user'>,
  link: AdapterLink,
): ConversationRef {
  const { externalId, url, extra } = link;
  return { conversationId: id, bot, externalId, url, extra, user: sendableUser(user) };
}

function sendableUser({ key, userId, anonymousId, email, phone }: User): User {
  const orNull = (text: string | null): string | null => text && sendable(text);
  return {
    key: sendable(key),
    userId: orNull(userId),
    anonymousId: orNull(anonymousId),
    email: orNull(email),
    phone: orNull(phone),
  };
}

/**
 * Applies a change while `mayChange` holds, and retries when another process changed the conversation meanwhile.
 * Returns `null` when it no longer holds or the conversation is gone.
 */
export async function changeWhile(
  store: HandoffStore,
  id: string,
  mayChange: (conversation: Conversation) => boolean,
  change: ConversationChange,
): Promise<Conversation | null> {
  for (;;) {
    const current = await store.get(id);
    if (!current || !mayChange(current)) return null;
    const changed = await store.update(id, current.version, change);
    if (changed) return changed;
  }
}

/** Whether a session still waits to be opened: same session, not ended, and not linked by another process. */
export const isUnopened =
  (session: number) =>
  (conversation: Conversation): boolean =>
    conversation.session === session && isOpen(conversation.state) && conversation.link === null;

/** Marks a conversation that was requested and never accepted as failed. `null` when it is past that state. */
export function failUnaccepted(
  store: HandoffStore,
  { id, session }: Pick<Conversation, 'id' | 'session'>,
  reason: string,
  mayFail: (conversation: Conversation) => boolean = ({ link }) => link === null,
): Promise<Conversation | null> {
  return changeWhile(
    store,
    id,
    (current) => current.session === session && current.state === 'requested' && mayFail(current),
    { state: 'failed', closure: { by: 'system', reason, at: new Date() } },
  );
}
