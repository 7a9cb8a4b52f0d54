import { setTimeout as sleep } from 'node:timers/promises';
import { type Conversation, isOpen } from '../handoff/index.js';
import { within } from '../internal/index.js';
import type { OpenedConversation } from './adapter.js';
import { AdapterError } from './adapter-error.js';
import { changeWhile, isUnopened } from './change-conversation.js';
import type { BridgeParts } from './parts.js';
import { waitBeforeRetry } from './retry-by-kind.js';
import { linkOf, sessionKey, sessionOf } from './session.js';
import type { Strays } from './strays.js';

/**
 * What became of the wish to have a conversation open.
 *
 * - `open`: it is, and linked.
 * - `over`: it has ended meanwhile, or was never asked for.
 * - `failed`: the system refused or was away; the error says which.
 * - `late`: it took too long, and goes on.
 */
export type Opening =
  | { readonly kind: 'open'; readonly conversation: Conversation }
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly error: AdapterError }
  | { readonly kind: 'late' };

/** Opens conversations, each of them once, however many ask for it, in this process and in others. */
export interface Openings {
  /** Makes sure that a conversation is open in the system, within a time. */
  ensure(conversation: Conversation, withinMs: number): Promise<Opening>;
  /** Waits for what is being opened in this process just now, within a time. */
  settled(timeoutMs: number): Promise<void>;
}

/** While one process opens a conversation the others wait for this long without a sign of life. */
const LEASE_MS = 15_000;
const LOOK_AGAIN_MS = 50;

/** Makes {@link Openings}. */
export function createOpenings(parts: BridgeParts, strays: Strays): Openings {
  const { adapter, lifecycle, settings, calls, auth, counters, log, owner } = parts;
  const { store } = lifecycle;
  const running = new Map<string, Promise<Opening>>();

  /** Opens it, or finds what an earlier try opened. Only for who holds the lease. */
  const openOrFind = async (conversation: Conversation): Promise<OpenedConversation> => {
    const session = sessionOf(conversation);
    const isFirst = await strays.begin(conversation);
    const found = isFirst ? null : await calls.run('find', (call) => adapter.find(session, call));
    // Whatever goes wrong here may leave something behind, so the note of it stays.
    return found ?? calls.run('open', (call) => adapter.open(session, call));
  };

  const link = async (conversation: Conversation, opened: OpenedConversation): Promise<Opening> => {
    const linked = await changeWhile(store, conversation.id, isUnopened(conversation.session), {
      link: linkOf(adapter.name, opened),
    });
    if (!linked) {
      void strays.close(conversation, opened);
      return { kind: 'over' };
    }
    await strays.settle(conversation);
    counters.count('opened');
    auth.accepted();
    log.debug({ conversationId: conversation.id, externalId: opened.externalId }, 'opened');
    return { kind: 'open', conversation: linked };
  };

  const whileLeased = async <Result>(lease: string, task: () => Promise<Result>): Promise<Result> => {
    const renewal = setInterval(() => {
      store
        .lease(lease, owner, LEASE_MS)
        .catch((error: unknown) => log.warn({ err: error }, 'a lease could not be renewed'));
    }, LEASE_MS / 3).unref();
    try {
      return await task();
    } finally {
      clearInterval(renewal);
      await store.release(lease, owner);
    }
  };

  /** How things stand, where there is nothing left to do. */
  const standing = async ({ id, session }: Conversation): Promise<Opening | Conversation> => {
    const current = await store.get(id);
    if (current?.session !== session || !isOpen(current.state)) return { kind: 'over' };
    return current.link ? { kind: 'open', conversation: current } : current;
  };

  const run = async (conversation: Conversation, deadline: number): Promise<Opening> => {
    const lease = `bridge open ${adapter.name} ${sessionKey(conversation)}`;
    for (let tried = 1; ; ) {
      const before = await standing(conversation);
      if ('kind' in before) return before;
      if (!(await store.lease(lease, owner, LEASE_MS))) {
        if (Date.now() >= deadline || calls.ended) return { kind: 'late' };
        await sleep(LOOK_AGAIN_MS);
        continue;
      }
      try {
        return await whileLeased(lease, async () => {
          // Whoever held the lease before may have opened it since.
          const now = await standing(conversation);
          return 'kind' in now ? now : link(now, await openOrFind(now));
        });
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        if (error.kind === 'auth') auth.refused(error);
        log.warn({ conversationId: conversation.id, err: error, tried }, 'could not be opened');
        const wait = waitBeforeRetry(error, tried, settings.retry);
        if (wait === null || Date.now() + wait >= deadline || calls.ended) return { kind: 'failed', error };
        await sleep(wait);
        tried += 1;
      }
    }
  };

  /** Those who ask at the same time share one try. */
  const shared = (conversation: Conversation, deadline: number): Promise<Opening> => {
    const key = sessionKey(conversation);
    const busy = running.get(key);
    if (busy) return busy;
    const opening = run(conversation, deadline).finally(() => running.delete(key));
    running.set(key, opening);
    return opening;
  };

  return {
    async ensure(conversation, withinMs) {
      const deadline = Date.now() + withinMs;
      const opening = shared(conversation, deadline);
      // Nobody may be left to hear of a failure that comes late.
      const ended = opening.then(
        () => undefined,
        () => undefined,
      );
      return (await within(ended, withinMs)) ? opening : { kind: 'late' };
    },
    async settled(timeoutMs) {
      await within(Promise.allSettled(running.values()), timeoutMs);
    },
  };
}
