import type { Log } from '../internal/index.js';
import {
  type AudioClip,
  type DroppedValue,
  droppedValues,
  messageAudio,
  messageText,
  normaliseMessage,
  normaliseOrdinaryMessage,
  toDate,
} from '../protocol/index.js';
import type { DeliveredEvent, DeliveredEventName, EventPayloads } from './catalog.js';
import {
  type Conversation,
  type TranscriptItem,
  transcriptOf,
  type User,
  unknownUser,
  userOf,
} from './conversation.js';
import type {
  AdmitContext,
  ConversationActions,
  DeliveredContext,
  HandlerContexts,
  HandoffClosedContext,
  HandoffContext,
  HandoffMessageContext,
  HandoffRequestedContext,
  MessageContext,
} from './handler.js';
import { HANDLER_RUN, type HandlerRun } from './handler-run.js';
import { botField } from './identity.js';
import type { Receipt } from './receipts.js';
import type { Replies } from './replies.js';

export interface ContextParts {
  readonly replies: Replies;
  /** The logger whose children handlers get. */
  readonly log: Log;
  /** How long the platform waits for a first reply. */
  readonly waitTimeoutMs: number;
  readonly findConversation: (id: string) => Promise<Conversation | null>;
  /** Called with the payload when a handler first reads it. */
  readonly onPayload: <Name extends DeliveredEventName>(name: Name, payload: EventPayloads[Name]) => void;
  /** Called with values that do not fit the contract, and are left out of the payload. */
  readonly onDropped: (name: DeliveredEventName, values: readonly DroppedValue[]) => void;
}

/**
 * Base of all contexts of delivered events. Costly fields are lazy getters of a class: getters on an object literal
 * would give every event its own hidden class, which V8 cannot optimise.
 */
abstract class DeliveredEventContext<Name extends DeliveredEventName> implements DeliveredContext<Name> {
  readonly event: Name;
  readonly bot: string;
  readonly key: string;
  readonly conversationId: string;
  readonly requestId: string;
  readonly attempt: number;
  protected readonly parts: ContextParts;
  readonly #delivered: DeliveredEvent<Name>;
  readonly #sentTime: number | null;
  readonly #run: HandlerRun;
  #payload: EventPayloads[Name] | undefined;
  #log: Log | undefined;
  #state: object | undefined;

  constructor(parts: ContextParts, event: DeliveredEvent<Name>, run: HandlerRun, sentTime: number | null) {
    this.event = event.name;
    this.bot = event.bot;
    this.key = event.key;
    this.conversationId = event.conversationId;
    this.requestId = event.requestId;
    this.attempt = run.attempt;
    this.parts = parts;
    this.#delivered = event;
    this.#sentTime = sentTime;
    this.#run = run;
  }

  protected abstract readPayload(): EventPayloads[Name];

  get payload(): EventPayloads[Name] {
    if (this.#payload === undefined) {
      this.#payload = this.readPayload();
      this.parts.onPayload(this.event, this.#payload);
    }
    return this.#payload;
  }

  get raw(): unknown {
    return this.#delivered.raw ?? this.#delivered.body;
  }

  get receivedAt(): Date {
    return new Date(this.#delivered.receivedAt);
  }

  get sentAt(): Date | null {
    return this.#sentTime === null ? null : toDate(this.#sentTime);
  }

  get log(): Log {
    const { event, bot, conversationId, requestId } = this;
    this.#log ??= this.parts.log.child({ event, ...botField(bot), conversationId, requestId });
    return this.#log;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get [HANDLER_RUN](): HandlerRun {
    return this.#run;
  }

  get ensureClaimed(): () => Promise<void> {
    return async () => this.#run.ensureClaimed?.();
  }

  get state(): object {
    this.#state ??= {};
    return this.#state;
  }
}

class MessageEventContext extends DeliveredEventContext<'message'> implements MessageContext {
  readonly #body: DeliveredEvent<'message'>['body'];

  constructor(parts: ContextParts, event: DeliveredEvent<'message'>, run: HandlerRun) {
    super(parts, event, run, event.body.create_time);
    this.#body = event.body;
  }

  protected override readPayload(): EventPayloads['message'] {
    const ordinary = this.raw === this.#body ? normaliseOrdinaryMessage(this.#body) : null;
    if (ordinary) return ordinary;
    const payload = normaliseMessage(this.#body);
    this.parts.onDropped('message', droppedValues(this.raw, payload));
    return payload;
  }

  get text(): string {
    return messageText(this.payload);
  }

  get audio(): readonly AudioClip[] {
    return messageAudio(this.payload);
  }
}

type HandoffName = Exclude<DeliveredEventName, 'message'>;

class HandoffEventContext<Name extends HandoffName>
  extends DeliveredEventContext<Name>
  implements HandoffContext<Name>
{
  readonly user: User;
  readonly #body: EventPayloads[Name];

  constructor(
    parts: ContextParts,
    event: DeliveredEvent<Name>,
    run: HandlerRun,
    body: EventPayloads[Name],
    user: User,
  ) {
    super(parts, event, run, body.timestamp);
    this.#body = body;
    this.user = user;
    parts.onDropped(this.event, droppedValues(this.raw, body));
  }

  protected override readPayload(): EventPayloads[Name] {
    return this.#body;
  }

  readonly conversation = (): Promise<Conversation | null> =>
    this.parts.findConversation(this.conversationId);
}

/**
 * The idempotency keys of what handlers do, scoped to their event. Without a key of the handler's own it is made of the
 * words, and numbered, so that two equal replies of one run differ. The words are part of it because a handler that
 * runs again may reply with something else in the same place: a repeat is better than a lost reply.
 */
function createActionKeys(
  eventKey: string,
): (action: 'reply' | 'end', words: string, once?: string) => string {
  const counts = new Map<string, number>();
  return (action, words, once) => {
    if (once !== undefined) return `${eventKey} ${action} once ${once}`;
    const key = `${action} ${words}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${eventKey} ${count} ${key}`;
  };
}

/** A handler that does not await its replies must not end its process with an unhandled rejection. */
function withoutUnhandled(sent: Promise<Receipt>): Promise<Receipt> {
  // The delivery has logged the failure.
  sent.catch(() => undefined);
  return sent;
}

class ActiveHandoffContext<Name extends HandoffName>
  extends HandoffEventContext<Name>
  implements ConversationActions
{
  readonly #keyOf = createActionKeys(this.key);

  readonly reply: ConversationActions['reply'] = (text, options) => {
    const how = { ...options, once: this.#keyOf('reply', text, options?.once) };
    return withoutUnhandled(this.parts.replies.reply(this.conversationId, text, how, this[HANDLER_RUN]));
  };

  readonly end: ConversationActions['end'] = (options) => {
    const how = { ...options, once: this.#keyOf('end', '', options?.once) };
    return withoutUnhandled(this.parts.replies.end(this.conversationId, how, this[HANDLER_RUN]));
  };
}

class RequestedEventContext
  extends ActiveHandoffContext<'handoff.requested'>
  implements HandoffRequestedContext
{
  readonly transcript: readonly TranscriptItem[];
  readonly replyBy: Date;

  constructor(parts: ContextParts, event: DeliveredEvent<'handoff.requested'>, run: HandlerRun) {
    super(parts, event, run, event.body, userOf(event));
    this.transcript = transcriptOf(event.body);
    this.replyBy = new Date(event.receivedAt + parts.waitTimeoutMs);
  }

  get text(): string {
    const lastOf = (author: TranscriptItem['from']) =>
      this.transcript.findLast(({ from }) => from === author);
    return (lastOf('user') ?? lastOf('other'))?.text ?? '';
  }
}

class ChatEventContext extends ActiveHandoffContext<'handoff.message'> implements HandoffMessageContext {
  get text(): string {
    return this.payload.body;
  }
}

export async function contextOf(
  parts: ContextParts,
  event: DeliveredEvent,
  run: HandlerRun,
): Promise<HandlerContexts[DeliveredEventName]> {
  switch (event.name) {
    case 'message':
      return new MessageEventContext(parts, event, run);
    case 'handoff.requested':
      return new RequestedEventContext(parts, event, run);
    case 'handoff.message':
      return new ChatEventContext(parts, event, run, event.body, await findUser(parts, event));
    case 'handoff.closed': {
      const user = await findUser(parts, event);
      return new HandoffEventContext(parts, event, run, event.body, user) satisfies HandoffClosedContext;
    }
  }
}

async function findUser(
  { findConversation }: ContextParts,
  { conversationId }: DeliveredEvent,
): Promise<User> {
  return (await findConversation(conversationId))?.user ?? unknownUser(conversationId);
}

const NO_RUN: HandlerRun = { attempt: 1, signal: new AbortController().signal };

/** Builds the argument of a gate: the request, without actions. */
export function admitContextOf(
  parts: ContextParts,
  event: DeliveredEvent<'handoff.requested'>,
): AdmitContext {
  const context = new RequestedEventContext(parts, event, NO_RUN);
  const { bot, key, conversationId, requestId, receivedAt, sentAt } = context;
  const { log, user, text, transcript, replyBy, payload } = context;
  const request = { bot, key, conversationId, requestId, receivedAt, sentAt };
  return { event: 'handoff.requested', ...request, log, user, text, transcript, replyBy, payload };
}
