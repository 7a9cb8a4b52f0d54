import type { HandoffLifecycle } from '../handoff/index.js';
import type { Log } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import type { Adapter } from './adapter/adapter.js';
import type { AdapterCalls, AuthFailureLog, InlineRetry } from './calls/adapter-calls.js';
import type { BridgeSettings, RenderMessage } from './options.js';
import type { Ownership } from './ownership.js';

/** Everything the modules of one bridge share. Created once, in `createBridge`. */
export interface BridgeContext {
  readonly adapter: Adapter;
  readonly conversations: Receiver['conversations'];
  readonly lifecycle: HandoffLifecycle;
  /** Whether replies are stored before they are sent. */
  readonly isDurable: boolean;
  readonly settings: BridgeSettings;
  readonly ownership: Ownership;
  readonly calls: AdapterCalls;
  readonly retry: InlineRetry;
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

/** A background loop that runs until {@link BridgeContext.stopSignal} aborts. */
export interface BackgroundLoop {
  /** Resolves when the loop has stopped. */
  readonly stopped: Promise<void>;
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
  /** Replies of agents sent to users. */
  readonly replied: number;
  /** Conversations closed by an agent. */
  readonly closedByAgent: number;
  /** Conversations closed in the helpdesk because the user, the platform or handoff-kit ended them. */
  readonly closedInSystem: number;
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

/** Creates {@link Counters} that start at zero. */
export function createCounters(): Counters {
  const counts: Record<keyof BridgeStats, number> = {
    opened: 0,
    refused: 0,
    orphans: 0,
    sent: 0,
    replied: 0,
    closedByAgent: 0,
    closedInSystem: 0,
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
