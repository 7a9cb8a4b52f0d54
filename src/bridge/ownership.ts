import type { DeliveredEventName, Handler, HandlerContext } from '../events/index.js';
import { type Conversation, type HandoffStore, isOpen } from '../handoff/index.js';
import { configError } from '../internal/index.js';

/** Tells which conversations are this bridge's, among the bridges of its receiver. */
export interface Ownership {
  /** Whether this bridge opens new conversations of a bot. */
  takes(botId: string | null): boolean;
  /** Whether no bridge takes a bot's conversations, and this is the one to say so. */
  refuses(botId: string | null): boolean;
  /**
   * Whether this bridge acts on a conversation. One that is open in a helpdesk stays there. A conversation that no bridge
   * takes is the first bridge's to end, and so is one that is not known.
   */
  owns(conversation: Conversation | null): boolean;
  /** Whether the receiver has no other bridge, and this one takes all. */
  readonly isOnly: boolean;
}

/** A bridge of a receiver. Without `botIds` it takes the conversations that no other takes. */
interface Taker {
  readonly adapter: string;
  readonly botIds: readonly string[] | null;
}

/** The bridges of each receiver, in the order of their creation. */
const takersOf = new WeakMap<object, Taker[]>();

/**
 * Adds a bridge to its receiver. Throws when another bridge would take the same conversations, since two helpdesks would
 * open each of them.
 */
export function joinReceiver(receiver: object, adapter: string, botIds: readonly string[] | null): Ownership {
  const takers = takersOf.get(receiver) ?? [];
  const added: Taker = { adapter, botIds };
  checkTaker(takers, added);
  takers.push(added);
  takersOf.set(receiver, takers);

  const takerOf = (botId: string | null): Taker | undefined =>
    takers.find((each) => botId !== null && each.botIds?.includes(botId)) ??
    takers.find((each) => each.botIds === null);
  const ownerOf = ({ link, botId }: Conversation): Taker | undefined =>
    takers.find((each) => each.adapter === link?.adapter) ?? takerOf(botId);

  return {
    takes: (botId) => takerOf(botId) === added,
    refuses: (botId) => takerOf(botId) === undefined && takers[0] === added,
    owns: (conversation) => ((conversation && ownerOf(conversation)) ?? takers[0]) === added,
    get isOnly() {
      return takers.length === 1 && botIds === null;
    },
  };
}

function checkTaker(takers: readonly Taker[], { adapter, botIds }: Taker): void {
  if (botIds?.length === 0) {
    throw configError('botIds is empty: the bridge would take no conversation. Name bots, or leave it out.');
  }
  const sameName = takers.find((each) => each.adapter === adapter);
  if (sameName) {
    throw configError(
      `this receiver has a bridge with the adapter ${adapter} already. Stored conversations are told apart by the adapter's name: give one of them another, as in { ...adapter, name: '${adapter}-2' }.`,
    );
  }
  const other = takers.find((each) => each.botIds?.some((id) => botIds?.includes(id)) ?? botIds === null);
  if (!other) return;
  const which = botIds ? 'conversations of one bot' : 'the same conversations';
  throw configError(
    `the bridges with the adapters ${other.adapter} and ${adapter} would both take ${which}. Name the bots of each in botIds, each bot once; one bridge without botIds takes all others.`,
  );
}

/** Wraps a handler so that it leaves out the conversations of other bridges. */
export type OwnOnly = <Name extends DeliveredEventName>(handler: Handler<Name>) => Handler<Name>;

/** `end` is called for a conversation that no bridge takes any more, and that is open nowhere. */
export function createOwnOnly(
  ownership: Ownership,
  store: HandoffStore,
  end: (conversation: Conversation) => Promise<void>,
): OwnOnly {
  return (handler) => async (context) => {
    if (ownership.isOnly) return handler(context);
    const { conversationId } = context as HandlerContext<DeliveredEventName>;
    const conversation = await store.get(conversationId);
    if (!ownership.owns(conversation)) return;
    const isUnopened = conversation !== null && isOpen(conversation.state) && conversation.link === null;
    return !isUnopened || ownership.takes(conversation.botId) ? handler(context) : end(conversation);
  };
}
