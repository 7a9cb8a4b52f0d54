import { hash } from 'node:crypto';
import { createPending, type Pending, within } from '../internal/index.js';
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

/** What is being sent to a conversation just now. */
interface UnderWay {
  readonly pending: Pending;
  readonly texts: Set<string>;
}

/** Words are compared for this long, and only where the system has no ids to compare. */
const SAME_WORDS_MS = 30_000;
/** How long to wait for a send under way, whose id is not known yet. Systems wait a few seconds for an answer. */
const WAIT_FOR_ID_MS = 2_000;

/** Makes {@link Echoes}. The author is looked at first; then ids; words only where there are no ids. */
export function createEchoes({ adapter, lifecycle }: BridgeParts): Echoes {
  const { store } = lifecycle;
  const { messageIds } = adapter.capabilities;
  const underWay = new Map<string, UnderWay>();
  const idNote = (externalId: string, id: string): string => `bridge own ${adapter.name} ${externalId} ${id}`;
  const wordsNote = (externalId: string, text: string): string =>
    `bridge words ${adapter.name} ${externalId} ${hash('sha256', normalised(text), 'base64url')}`;

  const noted = async <Result>(
    externalId: string,
    text: string,
    task: () => Promise<Result>,
  ): Promise<Result> => {
    const sends = underWay.get(externalId) ?? { pending: createPending(), texts: new Set<string>() };
    underWay.set(externalId, sends);
    sends.pending.enter();
    sends.texts.add(normalised(text));
    try {
      return await task();
    } finally {
      sends.texts.delete(normalised(text));
      sends.pending.leave();
      if (sends.pending.count === 0) underWay.delete(externalId);
    }
  };

  return {
    async sending(externalId, text, send) {
      if (!messageIds) {
        await store.addIdempotencyKey(wordsNote(externalId, text), SAME_WORDS_MS);
        return send();
      }
      return noted(externalId, text, async () => {
        const sent = await send();
        if (sent.messageId !== null)
          await store.addIdempotencyKey(idNote(externalId, sent.messageId), REMEMBER_MS);
        return sent;
      });
    },
    async isEcho({ externalId, author, messageId, text }) {
      if (!messageIds) {
        const note = wordsNote(externalId, text);
        if (!(await store.hasIdempotencyKey(note))) return author.kind === 'self';
        // One echo for one message: an agent may well repeat what the user said.
        await store.removeIdempotencyKey(note);
        return true;
      }
      if (author.kind === 'self') return true;
      if (messageId === null) return false;
      const sends = underWay.get(externalId);
      // An id that is not known by then may be anybody's; but the words are those of a send under way.
      if (sends && !(await within(sends.pending.idle(), WAIT_FOR_ID_MS)) && sends.texts.has(normalised(text)))
        return true;
      return store.hasIdempotencyKey(idNote(externalId, messageId));
    },
  };
}

/** Systems change line ends and blanks around and within what they are given. */
const normalised = (text: string): string => text.replace(/\s+/g, ' ').trim();
