/** A request that a human-service system made to us: raw, as it came. */
export interface InboundRequest {
  readonly method: string;
  /** Below the mount, with its query. */
  readonly url: string;
  /** Names in lower case. A header that came several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** When it came, in milliseconds: what a signature's age is held against. */
  readonly receivedAt: number;
}

/** Whether a request is from whom it says. */
export type SignatureVerdict = 'genuine' | 'unsigned' | 'forged' | 'stale';

/** Who did something in a human-service system. */
export interface MessageAuthor {
  /**
   * - `agent`: a human.
   * - `self`: the account that this adapter writes with, so that the words are an echo.
   * - `customer`: the user, by another way than this adapter.
   * - `system`: the system's own automation.
   */
  readonly kind: 'agent' | 'self' | 'customer' | 'system';
  /** What the user may be shown, or `null`. */
  readonly name: string | null;
}

interface Inbound {
  /** Equal for two deliveries of the same event, and for no others. */
  readonly id: string;
  /** The conversation, by the id that `open` gave. */
  readonly externalId: string;
  readonly author: MessageAuthor;
}

/** Somebody wrote something. Adapters tell everything they hear; the bridge decides what the user sees. */
export interface InboundMessage extends Inbound {
  readonly kind: 'message';
  /** As plain text: no HTML, no markup that the user would see raw. */
  readonly text: string;
  /** Whether it is among agents only, and must never reach the user. */
  readonly internal: boolean;
  /** The system's own id of the message, as `send` returns it for our own; `null` where there is none. */
  readonly messageId: string | null;
}

/** Somebody took the conversation. */
export interface InboundJoin extends Inbound {
  readonly kind: 'joined';
}

/** Somebody ended the conversation. */
export interface InboundClose extends Inbound {
  readonly kind: 'closed';
}

/** What happened in a human-service system. */
export type InboundEvent = InboundMessage | InboundJoin | InboundClose;

/** What a request means. */
export interface ParsedWebhook {
  /** In the order in which they happened. */
  readonly events: readonly InboundEvent[];
  /** What to answer instead of an empty 200, where the system asks for something. */
  readonly answer?: { readonly contentType: string; readonly body: string };
}
