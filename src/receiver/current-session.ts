import type { Delivery } from '../delivery/index.js';
import { type HandoffStore, isOpen } from '../handoff/index.js';
import { HandoffKitError } from '../internal/index.js';

/** Finds the session of a conversation that a handoff request or a close belongs to. */
export type FindSession = (endpoint: 'establish' | 'close', conversationId: string) => Promise<number>;

/** A try fails only if the conversation changed meanwhile, and a lifecycle has few changes. */
const MOST_TRIES = 100;

/**
 * Creates {@link FindSession}. Events that are accepted and wait to be handled count: a close that waits ends its session,
 * and the next request begins another.
 */
export function createFindSession(store: HandoffStore, delivery: Delivery): FindSession {
  return async (endpoint, conversationId) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const conversation = await store.get(conversationId);
      const pending = (await delivery.pendingEvents?.(conversationId)) ?? [];
      // The two belong together only if no event was handled in between.
      if ((await store.get(conversationId))?.version !== conversation?.version) continue;
      let session = conversation?.session ?? 0;
      let open = conversation !== null && isOpen(conversation.state);
      for (const name of pending) {
        if (name === 'handoff.closed') open = false;
        if (name !== 'handoff.requested' || open) continue;
        session += 1;
        open = true;
      }
      return endpoint === 'establish' && !open ? session + 1 : session;
    }
    throw new HandoffKitError(
      'CONVERSATION_CONTENDED',
      'the session of a conversation could not be found: each time, another process had changed it meanwhile. Try again later.',
    );
  };
}
