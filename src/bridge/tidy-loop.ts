import { type Conversation, isOpen } from '../handoff/index.js';
import { AdapterError } from './adapter-error.js';
import { failUnaccepted } from './change-conversation.js';
import type { SystemCloses } from './close-conversation.js';
import type { BridgeParts } from './parts.js';
import type { Loop } from './poll-loop.js';
import { pause } from './retry-by-kind.js';
import type { Strays } from './strays.js';

/** How far back to look at the start. */
const LOOK_BACK_MS = 86_400_000;
/** How far back to look after that: longer than anything takes to be sure. */
const LOOK_AGAIN_MS = 1_200_000;
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
  const { adapter, lifecycle, settings, background, auth, log, owner } = parts;
  const { store } = lifecycle;
  const name = `bridge tidy ${adapter.name}`;

  let since = Date.now() - LOOK_BACK_MS;

  async function* changedLately(): AsyncGenerator<Conversation> {
    let after: Conversation | undefined;
    do {
      const page = await store.list({ limit: PAGE, ...(after && { after }) });
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

  /** Ended by this side, or by code of the developer's: the system may not have heard of it. */
  const closeUntold = async (conversation: Conversation): Promise<void> => {
    const by = conversation.closure?.by;
    if (conversation.link?.adapter !== adapter.name || (by !== 'agent' && by !== 'kit')) return;
    if (!(await systemCloses.isNoted(conversation))) await systemCloses.close(conversation, 'kit');
  };

  /** Nobody has said yes, and by now nobody will. */
  const abandon = async (conversation: Conversation): Promise<Conversation> => {
    const opensWithin = settings.openWithinMs + settings.callTimeoutMs;
    // Who opens it has given up by then; who accepts it after it opened can be late.
    if (age(conversation) < (conversation.link ? ABANDONED_AFTER_MS : opensWithin)) return conversation;
    const failed = await failUnaccepted(store, conversation, 'nobody has accepted it', () => true);
    return failed ?? conversation;
  };

  const tidyOne = async (found: Conversation): Promise<void> => {
    // Asked for anew, it has another key: what opened late for the one before would be forgotten.
    if (found.session > 1) await closeStray({ ...found, session: found.session - 1 });
    const conversation = found.state === 'requested' ? await abandon(found) : found;
    if (isOpen(conversation.state)) return;
    if (conversation.link) await closeUntold(conversation);
    else await closeStray(conversation);
  };

  const tidy = async (): Promise<void> => {
    if (!(await store.lease(name, owner, settings.tidyEveryMs * 3))) return;
    const began = Date.now();
    let failures = 0;
    for await (const conversation of changedLately()) {
      if (!(await tidied(conversation))) failures += 1;
    }
    if (failures === 0) since = Math.max(since, began - LOOK_AGAIN_MS);
  };

  /** What fails for one is tried again the next time, and does not keep the others waiting. */
  const tidied = async (conversation: Conversation): Promise<boolean> => {
    if (background.aborted) return false;
    try {
      await tidyOne(conversation);
      return true;
    } catch (error) {
      if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
      else log.warn({ conversationId: conversation.id, err: error }, 'could not be tidied up yet');
      return false;
    }
  };

  const run = async (): Promise<void> => {
    while (!background.aborted) {
      try {
        await tidy();
      } catch (error) {
        if (!background.aborted) log.warn({ err: error }, 'what was left behind could not be looked for');
      }
      await pause(settings.tidyEveryMs, background);
    }
    await store.release(name, owner).catch(() => undefined);
  };

  return { ended: run() };
}
