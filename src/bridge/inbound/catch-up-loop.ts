import type { Conversation } from '../../handoff/index.js';
import { AdapterError } from '../adapter/adapter-error.js';
import type { BackgroundLoop, BridgeContext } from '../bridge-context.js';
import { pause } from '../calls/adapter-calls.js';
import { repeatTask } from '../calls/repeat-task.js';
import type { EventOrder } from './order-events.js';
import type { EventReceiver } from './receive-events.js';

/** Processes that start together catch up one after another, a minute apart. */
const LEASE_MS = 60_000;
/** The most conversations, those that changed last first. */
const MOST_CONVERSATIONS = 1_000;
/** At most ten conversations a second: agents and users have priority over what has waited anyway. */
const PAUSE_MS = 100;
/** Rejected closes, and conversations that could not be listed, are tried again after `retry.firstWaitMs` times this. */
const RETRY_WAITS = 50;
/** A conversation that still cannot be listed is left to its next event. */
const MOST_TRIES = 10;

/**
 * Starts the loop that asks `catchUp` for what the bridge has missed: at the start, what agents did in open
 * conversations while no process was running, and then what happened before closes that were rejected.
 */
export function createCatchUpLoop(
  bridge: BridgeContext,
  events: EventReceiver,
  order: EventOrder,
): BackgroundLoop {
  const { adapter, lifecycle, settings, stopSignal, auth, log, instanceId } = bridge;

  const { store } = lifecycle;
  const lease = `bridge catch up ${adapter.name}`;

  /** `null` while another process holds the lease. */
  const listOpen = async (): Promise<readonly Conversation[] | null> => {
    if (!(await store.lease(lease, instanceId, LEASE_MS))) return null;
    return store.list({
      states: ['waiting', 'connected'],
      adapter: adapter.name,
      limit: MOST_CONVERSATIONS,
    });
  };

  /** Whether it must be tried again. */
  const isBehind = async (task: () => Promise<unknown>, details: object): Promise<boolean> => {
    try {
      await task();
      return false;
    } catch (error) {
      if (stopSignal.aborted) return false;
      if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
      else log.warn({ ...details, err: error }, 'what agents did in a conversation could not be listed');
      return !(error instanceof AdapterError && (error.kind === 'gone' || error.kind === 'invalid'));
    }
  };

  const catchUpWith = async (conversations: readonly Conversation[]): Promise<readonly Conversation[]> => {
    const behind: Conversation[] = [];
    for (const conversation of conversations) {
      if (stopSignal.aborted) return [];
      const details = { conversationId: conversation.id };
      if (await isBehind(() => events.catchUp(conversation), details)) behind.push(conversation);
      await pause(PAUSE_MS, stopSignal);
    }
    return behind;
  };

  const passRejected = async (): Promise<void> => {
    for (const rejected of order.rejected())
      await isBehind(() => events.receive(rejected), { externalId: rejected[0]?.externalId });
  };

  /** `null` until this process had the lease. */
  let behind: readonly Conversation[] | null = null;
  let tries = 0;
  const run = async (): Promise<void> => {
    behind ??= await listOpen();
    if (behind && behind.length > 0) {
      tries += 1;
      const left = await catchUpWith(behind);
      behind = tries < MOST_TRIES ? left : [];
    }
    await passRejected();
  };

  const everyMs = settings.retry.firstWaitMs * RETRY_WAITS;
  return repeatTask(bridge, { lease, everyMs, failure: 'catching up failed', run });
}
