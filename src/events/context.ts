import type { Log } from '../internal/index.js';
import { type AudioClip, messageAudio, messageText, normaliseMessage, toDate } from '../protocol/index.js';
import type { DeliveredEvent, DeliveredName, EventPayloads } from './catalog.js';
import type {
  AdmitContext,
  ConversationActions,
  DeliveredContext,
  HandlerContexts,
  HandoffMessageContext,
  HandoffRequestedContext,
  MessageContext,
} from './handler.js';
import type { Replies } from './replies.js';
import { type TranscriptItem, transcriptOf } from './transcript.js';
import { type User, userOf } from './user.js';

/** What the argument of a handler is built from. */
export interface ContextParts {
  /** Where replies go. */
  readonly replies: Replies;
  /** The logger whose children handlers get. */
  readonly log: Log;
  /** How long the service waits for a first reply. */
  readonly waitTimeoutMs: number;
  /** Hears of the payload when it is first looked at. */
  readonly onPayload: <Name extends DeliveredName>(name: Name, payload: EventPayloads[Name]) => void;
}

/** One run of an event's handlers. */
export interface HandlerRun {
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** Aborts when the run is given up. */
  readonly signal: AbortSignal;
}

/**
 * What all handlers of delivered events get. What costs something is made when it is first looked at, by getters
 * of a class: getters made anew for each event would give every event a hidden class of its own, which keeps the
 * whole request in memory until the next full collection.
 */
abstract class Happened<Name extends DeliveredName> implements DeliveredContext<Name> {
  readonly event: Name;
  readonly conversationId: string;
  readonly requestId: string;
  readonly attempt: number;
  readonly #receivedAt: number;
  readonly #sentTime: number | null;
  readonly #parts: ContextParts;
  readonly #run: HandlerRun;
  #payload: EventPayloads[Name] | undefined;
  #log: Log | undefined;

  constructor(parts: ContextParts, event: DeliveredEvent<Name>, run: HandlerRun, sentTime: number | null) {
    this.event = event.name;
    this.conversationId = event.conversationId;
    this.requestId = event.requestId;
    this.attempt = run.attempt;
    this.#receivedAt = event.receivedAt;
    this.#sentTime = sentTime;
    this.#parts = parts;
    this.#run = run;
  }

  /** Makes the payload, in its normalised shape. */
  protected abstract read(): EventPayloads[Name];

  get payload(): EventPayloads[Name] {
    if (this.#payload === undefined) {
      this.#payload = this.read();
      this.#parts.onPayload(this.event, this.#payload);
    }
    return this.#payload;
  }

  get receivedAt(): Date {
    return new Date(this.#receivedAt);
  }

  get sentAt(): Date | null {
    return this.#sentTime === null ? null : toDate(this.#sentTime);
  }

  get log(): Log {
    const { event, conversationId, requestId } = this;
    this.#log ??= this.#parts.log.child({ event, conversationId, requestId });
    return this.#log;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }
}

class MessageHappened extends Happened<'message'> implements MessageContext {
  readonly #body: DeliveredEvent<'message'>['body'];

  constructor(parts: ContextParts, event: DeliveredEvent<'message'>, run: HandlerRun) {
    super(parts, event, run, event.body.create_time);
    this.#body = event.body;
  }

  protected override read(): EventPayloads['message'] {
    return normaliseMessage(this.#body);
  }

  get text(): string {
    return messageText(this.payload);
  }

  get audio(): readonly AudioClip[] {
    return messageAudio(this.payload);
  }
}

/** Tells what a handler does for the second time because it runs again from what it does twice on purpose. */
function createOnceKeys(eventKey: string): (act: string) => string {
  const counts = new Map<string, number>();
  return (act) => {
    const count = (counts.get(act) ?? 0) + 1;
    counts.set(act, count);
    return `${eventKey} ${count} ${act}`;
  };
}

type HandoffName = Exclude<DeliveredName, 'message'>;

class HandoffHappened<Name extends HandoffName> extends Happened<Name> {
  readonly #body: EventPayloads[Name];

  constructor(parts: ContextParts, event: DeliveredEvent<Name>, run: HandlerRun, body: EventPayloads[Name]) {
    super(parts, event, run, body.timestamp);
    this.#body = body;
  }

  protected override read(): EventPayloads[Name] {
    return this.#body;
  }
}

class ActingHappened<Name extends HandoffName> extends HandoffHappened<Name> implements ConversationActions {
  readonly reply: ConversationActions['reply'];
  readonly end: ConversationActions['end'];

  constructor(parts: ContextParts, event: DeliveredEvent<Name>, run: HandlerRun, body: EventPayloads[Name]) {
    super(parts, event, run, body);
    const { replies } = parts;
    const { conversationId } = event;
    const once = createOnceKeys(event.key);
    this.reply = (text, options) =>
      replies.reply(conversationId, text, { once: once(`reply ${text}`), ...options });
    this.end = (options) => replies.end(conversationId, { once: once('close'), ...options });
  }
}

class RequestHappened extends ActingHappened<'handoff.requested'> implements HandoffRequestedContext {
  readonly user: User;
  readonly transcript: readonly TranscriptItem[];
  readonly replyBy: Date;

  constructor(parts: ContextParts, event: DeliveredEvent<'handoff.requested'>, run: HandlerRun) {
    super(parts, event, run, event.body);
    this.user = userOf(event.body);
    this.transcript = transcriptOf(event.body);
    this.replyBy = new Date(event.receivedAt + parts.waitTimeoutMs);
  }
}

/** Builds the argument of an event's handlers. */
export function contextOf(
  parts: ContextParts,
  event: DeliveredEvent,
  run: HandlerRun,
): HandlerContexts[DeliveredName] {
  switch (event.name) {
    case 'message':
      return new MessageHappened(parts, event, run);
    case 'handoff.requested':
      return new RequestHappened(parts, event, run);
    case 'handoff.message':
      return new ActingHappened(parts, event, run, event.body) satisfies HandoffMessageContext;
    case 'handoff.closed':
      return new HandoffHappened(parts, event, run, event.body);
  }
}

const NOT_RUNNING: HandlerRun = { attempt: 1, signal: new AbortController().signal };

/** Builds what a gate sees: the request, and nothing that acts. */
export function admitContextOf(
  parts: ContextParts,
  event: DeliveredEvent<'handoff.requested'>,
): AdmitContext {
  const { conversationId, requestId, receivedAt, sentAt, log, user, transcript, replyBy, payload } =
    new RequestHappened(parts, event, NOT_RUNNING);
  return {
    event: 'handoff.requested',
    conversationId,
    requestId,
    receivedAt,
    sentAt,
    log,
    user,
    transcript,
    replyBy,
    payload,
  };
}
