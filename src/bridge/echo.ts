import { hash } from 'node:crypto';
import { createPending, type Pending, within } from '../events/index.js';
import type { InboundMessage } from './inbound.js';
import type { BridgeParts } from './parts.js';
import { REMEMBER_MS } from './parts.js';

/** Tells our own words, as the system sends them back to us, from what agents say. */
export interface Echoes {
  /** Around every message that is sent: what it sends may come back before it is done. */
  sending<Result extends { readonly messageId: string | null }>(
    externalId: string,
    text: string,
    send: () => Promise<Result>,
  ): Promise<Result>;
  /** Whether a message is our own. */
  isEcho(message: InboundMessage): Promise<boolean>;
}

/** Words are compared for this long, and only where the system has no ids to compare. */
const SAME_WORDS_MS = 30_000;
/** How long to wait for a send under way, whose id is not known yet. Systems wait a few seconds for an answer. */
const WAIT_FOR_ID_MS = 2_000;

/** Makes {@link Echoes}. The author is looked at first; then ids; words only where there are no ids. */
export function createEchoes({ adapter, life }: BridgeParts): Echoes {
  const { store } = life;
  const { messageIds } = adapter.capabilities;
  const underWay = new Map<string, Pending>();
  const idNote = (externalId: string, id: string): string => `bridge own ${adapter.name} ${externalId} ${id}`;
  const wordsNote = (externalId: string, text: string): string =>
    `bridge words ${adapter.name} ${externalId} ${hash('sha256', normalised(text), 'base64url')}`;

  const noted = async <Result>(externalId: string, task: () => Promise<Result>): Promise<Result> => {
    const pending = underWay.get(externalId) ?? createPending();
    underWay.set(externalId, pending);
    pending.enter();
    try {
      return await task();
    } finally {
      pending.leave();
      if (pending.count === 0) underWay.delete(externalId);
    }
  };

  return {
    async sending(externalId, text, send) {
      if (!messageIds) {
        await store.mark(wordsNote(externalId, text), SAME_WORDS_MS);
        return send();
      }
      return noted(externalId, async () => {
        const sent = await send();
        if (sent.messageId !== null) await store.mark(idNote(externalId, sent.messageId), REMEMBER_MS);
        return sent;
      });
    },
    async isEcho({ externalId, author, messageId, text }) {
      if (author.kind === 'self') return true;
      if (!messageIds) {
        const note = wordsNote(externalId, text);
        if (!(await store.isMarked(note))) return false;
        // One echo for one message: an agent may well repeat what the user said.
        await store.unmark(note);
        return true;
      }
      if (messageId === null) return false;
      const pending = underWay.get(externalId);
      if (pending) await within(pending.idle(), WAIT_FOR_ID_MS);
      return store.isMarked(idNote(externalId, messageId));
    },
  };
}

/** Systems change line ends and blanks around and within what they are given. */
const normalised = (text: string): string => text.replace(/\s+/g, ' ').trim();
