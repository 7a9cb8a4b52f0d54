import { randomUUID } from 'node:crypto';
import {
  type BotDirectory,
  createDispatcher,
  DEFAULT_BOT,
  type DeliveredEvent,
  type DeliveredEventName,
  type DispatcherOptions,
  deliveredReceipt,
  ENDPOINT_OF_EVENT,
  type EventPayloads,
  eventKey,
  Postponed,
  type Replies,
  type ReplyOptions,
} from '../events/index.js';
import { createHandoffLifecycle, createMemoryHandoffStore } from '../handoff/index.js';
import { HandoffKitError } from '../internal/index.js';
import { agentReply, validate, validateWebhook } from '../protocol/index.js';
import { trackReplies, withHandoffTracking } from './conversations.js';

/** A part of a value, at every depth. */
type DeepPartial<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]?: DeepPartial<Value[Field]> }
    : Value;

/** A part of an event's payload in the wire's shape. What is missing gets a default. */
export type InjectedPayload<Name extends DeliveredEventName> = DeepPartial<EventPayloads[Name]>;

/** A reply that a handler made to an injected event. */
export type InjectedReply = Pick<ReplyOptions, 'by' | 'agentName'> & { readonly text: string };

/** What middleware and handlers did with an injected event. */
export interface InjectResult {
  /**
   * - `handled`: all handlers succeeded.
   * - `skipped`: middleware left the event out with `next.skip`.
   * - `postponed`: `error` is the {@link Postponed} that was thrown.
   * - `failed`: `error` is what was thrown, and `onError` was called.
   * - `unhandled`: no handler is registered for the event.
   */
  readonly outcome: 'handled' | 'skipped' | 'postponed' | 'failed' | 'unhandled';
  /** The replies, in order. They were not sent. */
  readonly replies: readonly InjectedReply[];
  /** Whether a handler ended the conversation. */
  readonly ended: boolean;
  /** What was thrown, or `null`. */
  readonly error: unknown;
}

export interface InjectOptions {
  /** The bot that the event is from. Default: the only one, or the first. */
  readonly bot?: string;
}

/** Runs an event through middleware and handlers, without HTTP, delivery or platform. */
export type Inject = <Name extends DeliveredEventName>(
  name: Name,
  payload?: InjectedPayload<Name>,
  options?: InjectOptions,
) => Promise<InjectResult>;

interface InjectParts
  extends Pick<DispatcherOptions, 'registry' | 'log' | 'handlerLog' | 'waitTimeoutMs' | 'receiver'> {
  readonly bots: BotDirectory;
}

/**
 * Its conversations are its own, in memory: a receiver that stores events can be tested without
 * touching its storage.
 */
export function createInject(parts: InjectParts): Inject {
  const { registry, log, waitTimeoutMs, bots } = parts;
  const lifecycle = createHandoffLifecycle(createMemoryHandoffStore(), { waitTimeoutMs });
  const findConversation = (id: string) => lifecycle.store.get(id);

  return async (name, payload, { bot = bots.names[0] ?? DEFAULT_BOT } = {}) => {
    const event = createEvent(name, payload ?? {}, bot, bots);
    const captured: InjectedReply[] = [];
    const result = { replies: captured, ended: false, error: null };
    if (registry.handlersOf(name).length === 0) return { ...result, outcome: 'unhandled' };
    const replies = trackReplies({
      lifecycle,
      log,
      replies: captureReplies(
        (reply) => captured.push(reply),
        () => {
          result.ended = true;
        },
      ),
    });
    const dispatcher = createDispatcher({ ...parts, replies, findConversation });
    const run = { attempt: 1, signal: new AbortController().signal };
    try {
      const outcome = await withHandoffTracking(lifecycle, dispatcher)(event, run);
      await replies.idle();
      return { ...result, outcome };
    } catch (error) {
      await replies.idle();
      return { ...result, outcome: error instanceof Postponed ? 'postponed' : 'failed', error };
    }
  };
}

function captureReplies(onReply: (reply: InjectedReply) => void, onEnd: () => void): Replies {
  return {
    async reply(conversationId, text, { by, agentName }: ReplyOptions = {}) {
      // As the platform's client would refuse it.
      validate(agentReply, { conversation_id: conversationId, timestamp: Date.now(), body: text });
      onReply({ text, ...(by !== undefined && { by }), ...(agentName !== undefined && { agentName }) });
      return deliveredReceipt(conversationId, null);
    },
    greet: async (conversationId) => deliveredReceipt(conversationId, null),
    async end(conversationId) {
      onEnd();
      return deliveredReceipt(conversationId, null);
    },
    idle: () => Promise.resolve(),
  };
}

/** Bodies as the platform sends them. */
const DEFAULT_BODIES: { readonly [Name in DeliveredEventName]: () => object } = {
  message: () => ({
    conversation_id: 'conversation-1',
    message_id: randomUUID(),
    create_time: Date.now(),
    user_id: 'user-1',
    anonymous_id: null,
    output: [{ content: { text: 'Hello' } }],
  }),
  'handoff.requested': () => ({
    conversation_id: 'handoff-1',
    timestamp: Date.now(),
    body: [{ text: 'Hello', message_type: 'QUESTION' }],
    user_info: { user_id: 'user-1', anonymous_id: null, email: null, phone: null },
  }),
  'handoff.message': () => ({ conversation_id: 'handoff-1', timestamp: Date.now(), body: 'Hello' }),
  'handoff.closed': () => ({ conversation_id: 'handoff-1', timestamp: Date.now(), type: 'USER_CLOSED' }),
};

/** Builds an event as a request with this body would. Throws a `ValidationError` where that would be refused. */
function createEvent(
  name: DeliveredEventName,
  payload: object,
  bot: string,
  bots: BotDirectory,
): DeliveredEvent {
  if (!Object.hasOwn(DEFAULT_BODIES, name)) {
    const names = Object.keys(DEFAULT_BODIES).join(', ');
    throw new HandoffKitError(
      'UNKNOWN_EVENT',
      `inject has no event '${name}'. It takes ${names}; a probe reaches no handler.`,
    );
  }
  if (!bots.names.includes(bot)) {
    throw new HandoffKitError(
      'BOT_NOT_CONFIGURED',
      `this receiver has no bot ${JSON.stringify(bot)}. Its bots are ${bots.names.join(', ')}.`,
    );
  }
  const endpoint = ENDPOINT_OF_EVENT[name];
  const json = { ...DEFAULT_BODIES[name](), ...payload };
  const body = validateWebhook(endpoint, json);
  return {
    name,
    bot,
    key: eventKey(endpoint, body, { bot }),
    conversationId: bots.conversationIdOf({ bot, platformId: body.conversation_id }),
    body,
    raw: json,
    receivedAt: Date.now(),
    requestId: `injected-${randomUUID()}`,
  } as DeliveredEvent;
}
