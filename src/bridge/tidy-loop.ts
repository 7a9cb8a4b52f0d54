import type { Conversation, ConversationState } from '../handoff/index.js';
import { failUnaccepted } from './change-conversation.js';
import type { SystemCloses } from './close-conversation.js';
import type { BridgeParts } from './parts.js';
import type { Loop } from './poll-loop.js';
import { pause } from './retry-by-kind.js';
import type { Strays } from './strays.js';

/** How far back to look. */
const LOOK_BACK_MS = 86_400_000;
/** A request that nobody has accepted after this long never will be: its sender was told no, or is gone. */
const ABANDONED_AFTER_MS = 600_000;
/** An open whose end is not known may still take effect; what is not found after this long is not there. */
const SURELY_ABSENT_AFTER_MS = 120_000;
const PAGE = 100;

/**
 * Looks after what an end of the process, or a late answer, left behind: conversations that are open in the
 * system though the user was told no, and those that were ended here without the system knowing. One process
 * does it, at the start and every so often.
 */
export function createTidyLoop(parts: BridgeParts, strays: Strays, systemCloses: SystemCloses): Loop {
  const { adapter, life, settings, calls, log, owner } = parts;
  const { store } = life;
  const name = `bridge tidy ${adapter.name}`;

  async function* changedLately(states: readonly ConversationState[]): AsyncGenerator<Conversation> {
    const since = Date.now() - LOOK_BACK_MS;
    let after: Conversation | undefined;
    do {
      const page = await store.list({ states, limit: PAGE, ...(after && { after }) });
      for (const conversation of page) {
        if (conversation.changedAt.getTime() < since) return;
        yield conversation;
      }
      after = page.length === PAGE ? page.at(-1) : undefined;
    } while (after);
  }

  const age = ({ changedAt }: Conversation): number => Date.now() - changedAt.getTime();

  /** The user was told no, or heard nothing: whatever opened all the same is closed. */
  const closeStray = async (conversation: Conversation): Promise<void> => {
    if (!(await strays.mayExist(conversation))) return;
    const found = await strays.findAndClose(conversation);
    if (!found && age(conversation) > SURELY_ABSENT_AFTER_MS) await strays.settle(conversation);
  };

  const tidyUnaccepted = async (conversation: Conversation): Promise<void> => {
    if (conversation.state === 'failed') return closeStray(conversation);
    const isLinked = conversation.link !== null;
    // Who opens it has given up by then; who accepts it after it opened can be late.
    if (age(conversation) < (isLinked ? ABANDONED_AFTER_MS : settings.openWithinMs + settings.callTimeoutMs))
      return;
    const failed = await failUnaccepted(store, conversation, 'nobody has accepted it', () => true);
    if (!failed) return;
    if (isLinked) await systemCloses.close(failed, 'kit');
    else await closeStray(failed);
  };

  /** Ended by this side, or by code of the developer's: the system has not heard of it. */
  const tidyEnded = async (conversation: Conversation): Promise<void> => {
    const by = conversation.ending?.by;
    if (conversation.link?.adapter !== adapter.name || (by !== 'agent' && by !== 'kit')) return;
    if (!(await systemCloses.isNoted(conversation))) await systemCloses.close(conversation, 'kit');
  };

  const tidy = async (): Promise<void> => {
    if (!(await store.lease(name, owner, settings.tidyEveryMs * 3))) return;
    for await (const conversation of changedLately(['requested', 'failed'])) {
      await apart(conversation, tidyUnaccepted);
    }
    for await (const conversation of changedLately(['closing', 'closed'])) {
      await apart(conversation, tidyEnded);
    }
  };

  /** What fails for one is tried again the next time, and does not keep the others waiting. */
  const apart = async (
    conversation: Conversation,
    task: (conversation: Conversation) => Promise<void>,
  ): Promise<void> => {
    if (calls.ended) return;
    try {
      await task(conversation);
    } catch (error) {
      log.warn({ conversationId: conversation.id, err: error }, 'could not be tidied up yet');
    }
  };

  const run = async (): Promise<void> => {
    while (!calls.ended) {
      try {
        await tidy();
      } catch (error) {
        if (!calls.ended) log.warn({ err: error }, 'what was left behind could not be looked for');
      }
      await pause(settings.tidyEveryMs, calls.signal);
    }
    await store.release(name, owner).catch(() => undefined);
  };

  return { ended: run() };
}
