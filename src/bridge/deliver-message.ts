import type { AdapterLink, Conversation } from '../handoff/index.js';
import { AdapterError } from './adapter-error.js';
import type { Echoes } from './echo.js';
import { BETWEEN, type FindNext, type Said } from './join-messages.js';
import type { Pace } from './pace.js';
import { type BridgeParts, REMEMBER_MS } from './parts.js';
import { pause } from './retry-by-kind.js';
import { refOf } from './session.js';
import { splitText } from './split-text.js';

/** Brings what a user said to an open conversation: whole, once, and no faster than the system takes it. */
export type DeliverMessage = (
  conversation: Conversation,
  link: AdapterLink,
  said: Said,
  sentAt: Date | null,
) => Promise<void>;

/** What {@link createDeliverMessage} works with besides. */
export interface DeliverParts {
  readonly echoes: Echoes;
  readonly pace: Pace;
  readonly findNext: FindNext;
}

/** How long a message waits for its turn in place; longer waits are the delivery's. */
const WAIT_IN_PLACE_MS = 5_000;

/** Makes {@link DeliverMessage}. */
export function createDeliverMessage(
  { adapter, lifecycle, calls, retry, counters }: BridgeParts,
  { echoes, pace, findNext }: DeliverParts,
): DeliverMessage {
  const { maxTextLength } = adapter.capabilities;
  const noteOf = (key: string, part: number): string => `bridge sent ${adapter.name} ${key} ${part}`;
  const isSent = (key: string, part: number): Promise<boolean> =>
    lifecycle.store.hasIdempotencyKey(noteOf(key, part));
  const noteSent = (key: string, part: number): Promise<boolean> =>
    lifecycle.store.addIdempotencyKey(noteOf(key, part), REMEMBER_MS);

  /** Waits for the conversation's turn. Tells whether it has no other for a while. */
  const waitForTurn = async (externalId: string): Promise<boolean> => {
    const { waitMs, taken, crowded } = pace.take(externalId, WAIT_IN_PLACE_MS);
    if (!taken) {
      throw new AdapterError('rate-limited', `${adapter.name} takes no more just now.`, {
        retryAfterMs: waitMs,
      });
    }
    if (waitMs > 0) await pause(waitMs, calls.signal);
    return crowded;
  };

  const unsent = async (conversationId: string, said: Said): Promise<readonly Said[]> => {
    const next = await findNext(conversationId, said, maxTextLength);
    const sent = await Promise.all(next.map(({ key }) => isSent(key, 1)));
    return next.filter((_said, index) => !sent[index]);
  };

  return async (conversation, link, said, sentAt) => {
    const texts = splitText(said.text, maxTextLength);

    const sendPart = async (text: string, part: number): Promise<readonly Said[]> => {
      const isCrowded = await waitForTurn(link.externalId);
      const isWhole = texts.length === 1;
      const joined = isCrowded && isWhole ? await unsent(conversation.id, said) : [];
      const words = [text, ...joined.map((each) => each.text)].join(BETWEEN);
      const message = { key: `${said.key} ${part}`, text: words, sentAt };
      await echoes.sending(link.externalId, words, () =>
        calls.run('send', (call) => adapter.send(refOf(conversation, link), message, call)),
      );
      return joined;
    };

    for (const [index, text] of texts.entries()) {
      const part = index + 1;
      // Sent before this event was handled again, or together with an earlier one.
      if (await isSent(said.key, part)) continue;
      const joined = await retry(() => sendPart(text, part));
      await noteSent(said.key, part);
      for (const each of joined) await noteSent(each.key, 1);
      counters.count('sent');
    }
  };
}
