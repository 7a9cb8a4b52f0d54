import { hash } from 'node:crypto';
import { createTaskCounter, settlesWithin, type TaskCounter } from '../../internal/index.js';
import type { InboundMessage } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';

/** Tells our own messages, which helpdesks send back as events, from the agents'. */
export interface EchoDetector {
  /** Wraps every send: the echo can arrive before `send` returns. */
  trackSend<Result extends { readonly messageId: string | null }>(
    externalId: string,
    text: string,
    send: () => Promise<Result>,
  ): Promise<Result>;
  isEcho(message: InboundMessage): Promise<boolean>;
}

/** The sends in flight of one conversation. */
interface SendsInFlight {
  readonly pending: TaskCounter;
  readonly texts: Set<string>;
}

/** How long texts are compared. Only for helpdesks without message ids. */
const TEXT_MATCH_MS = 30_000;
/** How long to wait for the id of a send in flight. Helpdesks wait a few seconds for the webhook's answer. */
const WAIT_FOR_ID_MS = 2_000;

/** Creates an {@link EchoDetector}: it compares the author, then message ids; texts only when there are no ids. */
export function createEchoDetector({ adapter, lifecycle }: BridgeContext): EchoDetector {
  const { store } = lifecycle;
  const { messageIds } = adapter.capabilities;
  const inFlight = new Map<string, SendsInFlight>();
  const idKey = (externalId: string, id: string): string => `bridge own ${adapter.name} ${externalId} ${id}`;
  const textKey = (externalId: string, text: string): string =>
    `bridge text ${adapter.name} ${externalId} ${hash('sha256', normalized(text), 'base64url')}`;

  const whileInFlight = async <Result>(
    externalId: string,
    text: string,
    task: () => Promise<Result>,
  ): Promise<Result> => {
    const sends = inFlight.get(externalId) ?? { pending: createTaskCounter(), texts: new Set<string>() };
    inFlight.set(externalId, sends);
    sends.pending.enter();
    sends.texts.add(normalized(text));
    try {
      return await task();
    } finally {
      sends.texts.delete(normalized(text));
      sends.pending.leave();
      if (sends.pending.count === 0) inFlight.delete(externalId);
    }
  };

  return {
    async trackSend(externalId, text, send) {
      if (!messageIds) {
        await store.addIdempotencyKey(textKey(externalId, text), TEXT_MATCH_MS);
        return send();
      }
      return whileInFlight(externalId, text, async () => {
        const sent = await send();
        if (sent.messageId !== null)
          await store.addIdempotencyKey(idKey(externalId, sent.messageId), KEY_TTL_MS);
        return sent;
      });
    },
    async isEcho({ externalId, author, messageId, text }) {
      if (!messageIds) {
        const key = textKey(externalId, text);
        if (!(await store.hasIdempotencyKey(key))) return author.kind === 'self';
        // One echo per message: an agent may repeat what the user wrote.
        await store.removeIdempotencyKey(key);
        return true;
      }
      if (author.kind === 'self') return true;
      if (messageId === null) return false;
      const sends = inFlight.get(externalId);
      // The send is still without an id: its text decides.
      if (
        sends &&
        !(await settlesWithin(sends.pending.idle(), WAIT_FOR_ID_MS)) &&
        sends.texts.has(normalized(text))
      )
        return true;
      return store.hasIdempotencyKey(idKey(externalId, messageId));
    },
  };
}

/** Helpdesks change line ends and white space. */
const normalized = (text: string): string => text.replace(/\s+/g, ' ').trim();
