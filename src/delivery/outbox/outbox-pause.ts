import { PlatformError } from '../../client/index.js';
import { botField } from '../../events/index.js';
import { type Backoff, delayAfter } from '../../internal/index.js';
import type { DeliveryReceiver } from '../delivery.js';

/**
 * Pauses the outbox while the platform refuses the API key or has moved. Every reply would be refused then, and each
 * would become a dead letter that an operator has to retry by hand.
 *
 * ```
 *               refused                    the delay ends
 *    sending ─────────────► paused ───────────────────────► one reply is tried
 *       ▲                     ▲                                   │      │
 *       │                     └──────── refused, longer delay ────┘      │
 *       └────── accepted, or refused for what it says itself ────────────┘
 * ```
 */
export interface OutboxPause {
  /** How many replies may be under way: 0 while paused, 1 while one is tried. */
  readonly limit: () => number;
  /** Records that a send begins; returns what to call with its end. */
  begin(jobId: string): {
    /** The platform took the reply, or refused this one alone: it accepts the API key. */
    keyAccepted(): void;
    refused(error: PlatformError): 'paused' | 'for good';
  };
  readonly isPaused: boolean;
  readonly stop: () => void;
}

interface OutboxPauseOptions {
  readonly bot: string;
  readonly backoff: Backoff;
  readonly receiver: DeliveryReceiver;
  readonly onResume: () => void;
}

/**
 * A reply that is refused this often while others are accepted is itself the cause, for example because a firewall
 * dislikes its text.
 */
const MAX_REFUSALS = 3;

/** Whether a refusal concerns the API key or the address, and so every reply. */
export function concernsEveryReply(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  const isRedirect = error.status !== null && (error.status === 0 || Math.floor(error.status / 100) === 3);
  return error.code === 'PLATFORM_AUTH_FAILED' || (error.code === 'PLATFORM_REFUSED' && isRedirect);
}

/** Whether the platform refused a reply for what it says, and not for the API key or the address. */
export const concernsThisReply = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'PLATFORM_REFUSED' && !concernsEveryReply(error);

export function createOutboxPause({ bot, backoff, receiver, onResume }: OutboxPauseOptions): OutboxPause {
  let state: 'sending' | 'paused' | 'trying' = 'sending';
  /** Pauses in a row. */
  let pauses = 0;
  /** How often sending was resumed. A send that began before a pause says nothing about the time after it. */
  let resumptions = 0;
  let timer: NodeJS.Timeout | undefined;
  /** How often each reply was refused between resumptions. */
  const refusals = new Map<string, { readonly count: number; readonly resumption: number }>();

  const pause = (error: PlatformError): void => {
    if (state === 'paused') return;
    state = 'paused';
    pauses += 1;
    const pauseMs = delayAfter(pauses, backoff);
    receiver.log.error(
      { ...botField(bot), code: error.code, status: error.status, pauseMs },
      `replies are paused, because the platform refuses them all: ${error.message}`,
    );
    if (pauses === 1) receiver.report(error, { bot });
    timer = setTimeout(() => {
      state = 'trying';
      onResume();
    }, pauseMs).unref();
  };

  const resume = (): void => {
    state = 'sending';
    pauses = 0;
    resumptions += 1;
    receiver.log.info(botField(bot), 'the platform accepts replies again: those that waited are sent');
    onResume();
  };

  return {
    limit() {
      if (state === 'sending') return Number.POSITIVE_INFINITY;
      return state === 'trying' ? 1 : 0;
    },
    begin(jobId) {
      const stateAtStart = state;
      return {
        keyAccepted() {
          refusals.delete(jobId);
          if (stateAtStart === 'trying' && state === 'trying') resume();
        },
        refused(error) {
          const before = refusals.get(jobId);
          const count = before === undefined ? 1 : before.count + (before.resumption < resumptions ? 1 : 0);
          if (count >= MAX_REFUSALS) {
            refusals.delete(jobId);
            return 'for good';
          }
          refusals.set(jobId, { count, resumption: resumptions });
          pause(error);
          return 'paused';
        },
      };
    },
    get isPaused() {
      return state !== 'sending';
    },
    stop: () => clearTimeout(timer),
  };
}
