import { z } from 'zod';
import type { User } from '../events/index.js';
import type { Conversation } from '../handoff/index.js';
import {
  checkCount,
  checkDuration,
  checkOptionNames,
  configError,
  type Log,
  settlesWithin,
} from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import { type Adapter, checkAdapter } from './adapter/adapter.js';
import type { HandoffRoute } from './adapter/adapter-types.js';
import { type BusinessHours, type IsOpenAt, readHours } from './business-hours.js';
import { type AdapterRetryPolicy, DEFAULT_RETRY } from './calls/adapter-calls.js';

/**
 * Options of `createBridge`.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: chatwoot(settings),
 *   hours: { timeZone: 'Europe/Berlin', open: { mon: ['09:00-17:00'] } },
 *   messages: { greeting: 'A colleague will be with you shortly.' },
 * });
 */
export interface BridgeOptions {
  /** The receiver that gets the platform's webhooks. Create the bridge before `receiver.start()`. */
  readonly receiver: Receiver;
  /** The adapter for the helpdesk. */
  readonly adapter: Adapter;
  /**
   * With several bridges on one receiver: the bots whose conversations this one takes, by the `bot_id` of their handoff
   * requests. A bridge without it takes all others. A handoff that no bridge takes is refused. Default: all.
   */
  readonly botIds?: readonly string[];
  /**
   * Decides the tags, the priority and the department of a handoff, from what the application knows of the user. It
   * has half of `openWithinMs`; when it fails, or when the helpdesk refuses its result, the handoff continues without routing.
   */
  readonly route?: RouteHandoff;
  /** How long the answer to a handoff request waits for the helpdesk. Default 4 seconds. */
  readonly openWithinMs?: number;
  /**
   * The reaction to a handoff that the helpdesk cannot take. `refuse`: the request is refused, and the platform tells
   * the user. `apologise`: the request is accepted at once and opened in the background; when that fails for good,
   * the user gets `messages.unavailable` and the conversation ends. Default `refuse`.
   */
  readonly whenUnavailable?: 'refuse' | 'apologise';
  /**
   * When agents are available, or a function that decides it. The function has half of `openWithinMs`; when it fails,
   * the request is refused and the error is reported. Default always.
   */
  readonly hours?: BusinessHours | IsOpenAt;
  /**
   * The reaction to a handoff outside `hours`. `refuse`: the request is refused, and the platform tells the user.
   * `apologise`: the request is accepted, the user gets `messages.outsideHours`, and the conversation ends. Or a function
   * that decides it. Default `refuse`.
   */
  readonly whenClosed?: WhenClosed | (() => WhenClosed | Promise<WhenClosed>);
  /** Texts that the bridge sends to users. Each is off by default, except `undelivered`. */
  readonly messages?: BridgeMessages;
  /** Puts the agent's name before each reply: `Ada: ` with `true`, or the result of a function. Default off. */
  readonly agentNames?: boolean | ((name: string) => string);
  /** How failed calls to the helpdesk are retried. */
  readonly retry?: Partial<AdapterRetryPolicy>;
  /** Time limit of a single call to the adapter. Default 30 seconds. */
  readonly callTimeoutMs?: number;
  /** Limits on webhook requests of the helpdesk. */
  readonly limits?: {
    /** Largest body. Default 1 MiB. */
    readonly bodyBytes?: number;
    /** How long the body may take to arrive. Default 10 seconds. */
    readonly readTimeoutMs?: number;
  };
  /**
   * A pino logger or a compatible one; `false` for none. Default: `createLog()`, which writes to standard output.
   * Secrets and the words of users are redacted in a pino logger only.
   */
  readonly log?: Log | false;
}

/** The argument of a {@link RouteHandoff} function. */
export interface RouteContext {
  /** The handed-over conversation, with its transcript and its bot. */
  readonly conversation: Conversation;
  readonly user: User;
}

/**
 * Decides where a handoff goes in the helpdesk. `null` leaves it to the helpdesk.
 *
 * @example
 * const route: RouteHandoff = async ({ user }) => {
 *   const customer = await crm.find(user.userId);
 *   return customer.isPremium ? { priority: 'high', tags: ['premium'] } : null;
 * };
 */
export type RouteHandoff = (context: RouteContext) => HandoffRoute | null | Promise<HandoffRoute | null>;

/** A reaction to a handoff outside business hours. */
export type WhenClosed = 'refuse' | 'apologise';

/** The argument of a {@link MessageText} function. */
export interface MessageTextContext {
  readonly conversation: Conversation;
  /** The agent's name, when the helpdesk reports one that may be shown. */
  readonly agent: string | null;
}

/** A text for the user, or a function that returns one. `null` or an empty text sends nothing. */
export type MessageText = string | ((context: MessageTextContext) => string | null | Promise<string | null>);

/**
 * Texts that the bridge sends to users on its own. Each is off unless it is set, except `undelivered`.
 *
 * @example
 * const messages: BridgeMessages = {
 *   greeting: 'A colleague will be with you shortly.',
 *   agentJoined: ({ agent }) => (agent === null ? null : `${agent} has joined.`),
 * };
 */
export interface BridgeMessages {
  /** Sent once the conversation is open in the helpdesk. Counts as the first reply that the platform waits for. */
  readonly greeting?: MessageText;
  /** Sent when an agent takes the conversation. */
  readonly agentJoined?: MessageText;
  /** Sent outside business hours, with `whenClosed: 'apologise'`. */
  readonly outsideHours?: MessageText;
  /** Sent when an agent has closed the conversation. */
  readonly closed?: MessageText;
  /** Sent when a message of the user waits because the helpdesk does not answer, at most every ten minutes. */
  readonly delayed?: MessageText;
  /** Sent before the bridge ends a conversation that it could not open, or that is gone from the helpdesk. */
  readonly unavailable?: MessageText;
  /**
   * Sent when a message of the user reaches no agent, since the conversation has ended in the helpdesk meanwhile; where it
   * is gone, only if `unavailable` is not set. Default: `This conversation has ended, and no agent has read your last
   * message. Please ask again.` An empty text sends nothing.
   */
  readonly undelivered?: MessageText;
}

const UNDELIVERED = 'This conversation has ended, and no agent has read your last message. Please ask again.';

/** A key of {@link BridgeMessages}. */
export type MessageName = keyof BridgeMessages;

/** Renders a configured text; `null` when none is configured or there is nothing to say. */
export type RenderMessage = (
  name: MessageName,
  conversation: Conversation,
  agent?: string | null,
) => Promise<string | null>;

export function createRenderMessage(messages: BridgeMessages): RenderMessage {
  return async (name, conversation, agent = conversation.agentName) => {
    const message = messages[name];
    if (message === undefined) return null;
    const text = typeof message === 'string' ? message : await message({ conversation, agent });
    return text === null || text.trim() === '' ? null : text;
  };
}

/** {@link BridgeOptions}, validated and with defaults, and times that only tests change. */
export interface BridgeSettings {
  readonly botIds: readonly string[] | null;
  readonly route: RouteHandoff | null;
  readonly openWithinMs: number;
  readonly whenUnavailable: 'refuse' | 'apologise';
  /** How long an accepted handoff is retried before it counts as failed. */
  readonly giveUpOpeningAfterMs: number;
  /** What to do with a handoff requested at a time: `open` it, or {@link WhenClosed}. */
  readonly decideAt: (at: Date) => Promise<'open' | WhenClosed>;
  readonly messages: BridgeMessages;
  readonly addAgentName: (name: string | null, text: string) => string;
  readonly retry: AdapterRetryPolicy;
  readonly callTimeoutMs: number;
  readonly bodyBytes: number;
  readonly readTimeoutMs: number;
  /** How often the bridge looks for orphaned conversations and unreported closes. */
  readonly reconcileEveryMs: number;
}

const OPTION_NAMES: readonly (keyof BridgeOptions)[] = [
  'receiver',
  'adapter',
  'botIds',
  'route',
  'openWithinMs',
  'whenUnavailable',
  'hours',
  'whenClosed',
  'messages',
  'agentNames',
  'retry',
  'callTimeoutMs',
  'limits',
  'log',
];

const MESSAGE_NAMES: readonly MessageName[] = [
  'greeting',
  'agentJoined',
  'outsideHours',
  'closed',
  'delayed',
  'unavailable',
  'undelivered',
];

/** Throws for unknown options, also in options that are objects. */
export function checkBridgeOptionNames(place: string, options: Partial<BridgeOptions> = {}): void {
  const { hours, messages, retry, limits } = options;
  checkOptionNames(place, options, OPTION_NAMES);
  checkOptionNames(`messages of ${place}`, messages, MESSAGE_NAMES);
  checkOptionNames(`retry of ${place}`, retry, Object.keys(DEFAULT_RETRY));
  checkOptionNames(`limits of ${place}`, limits, ['bodyBytes', 'readTimeoutMs']);
  if (typeof hours === 'object')
    checkOptionNames(`hours of ${place}`, hours, ['timeZone', 'open', 'closedOn']);
}

/** Validates the options and fills in the defaults. */
export function readOptions(options: BridgeOptions): BridgeSettings {
  checkBridgeOptionNames('createBridge', options);
  checkAdapter(options.adapter);
  const { messages = {}, whenUnavailable = 'refuse' } = options;
  if (whenUnavailable === 'apologise' && messages.unavailable === undefined) {
    throw configError(`whenUnavailable: 'apologise' needs messages.unavailable: what the user is told.`);
  }
  checkWhenClosed(options);
  if (messages.greeting !== undefined && options.receiver.hasGreeting) {
    throw configError(
      'set greeting in createReceiver or in messages of createBridge, not in both: users would get two.',
    );
  }
  const openWithinMs = checkDuration('openWithinMs', options.openWithinMs ?? 4_000);
  return {
    botIds: options.botIds ?? null,
    route: options.route ?? null,
    openWithinMs,
    whenUnavailable,
    giveUpOpeningAfterMs: 45_000,
    decideAt: createDecideAt(options, openWithinMs / 2),
    messages: { undelivered: UNDELIVERED, ...messages },
    addAgentName: agentNamePrefix(options.agentNames ?? false),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    callTimeoutMs: checkDuration('callTimeoutMs', options.callTimeoutMs ?? 30_000),
    bodyBytes: checkCount('limits.bodyBytes', options.limits?.bodyBytes ?? 1_048_576),
    readTimeoutMs: checkDuration('limits.readTimeoutMs', options.limits?.readTimeoutMs ?? 10_000),
    reconcileEveryMs: 60_000,
  };
}

function createDecideAt(
  { hours, whenClosed = 'refuse' }: BridgeOptions,
  withinMs: number,
): BridgeSettings['decideAt'] {
  const isOpenAt = readHours(hours);
  const decide: BridgeSettings['decideAt'] = async (at) => {
    if (await isOpenAt(at)) return 'open';
    return typeof whenClosed === 'function' ? whenClosed() : whenClosed;
  };
  return async (at) => {
    const decision = decide(at);
    if (await settlesWithin(decision, withinMs)) return decision;
    throw new Error(`the business hours (hours, whenClosed) had no result after ${withinMs} ms`);
  };
}

/** Checks that there is something to say where `whenClosed` asks for it. */
export function checkWhenClosed({ whenClosed = 'refuse', messages }: Partial<BridgeOptions>): void {
  if (whenClosed === 'refuse' || messages?.outsideHours !== undefined) return;
  throw configError(`whenClosed needs messages.outsideHours, what the user is told, unless it is 'refuse'.`);
}

function agentNamePrefix(
  agentNames: NonNullable<BridgeOptions['agentNames']>,
): BridgeSettings['addAgentName'] {
  if (agentNames === false) return (_name, text) => text;
  const prefix = agentNames === true ? (name: string) => `${name}: ` : agentNames;
  return (name, text) => (name === null || name.trim() === '' ? text : `${prefix(name)}${text}`);
}

const routeSchema = z.strictObject({
  tags: z.array(z.string().trim().min(1).max(100)).max(20).optional(),
  priority: z.enum(['low', 'normal', 'high', 'urgent']).optional(),
  department: z.string().trim().min(1).max(200).optional(),
});

/** Asks the application for the route of a conversation. A function that fails or takes too long is logged. */
export function createFindRoute(
  route: RouteHandoff | null,
  withinMs: number,
  log: Log,
): (conversation: Conversation) => Promise<HandoffRoute | null> {
  return async (conversation) => {
    if (!route) return null;
    const conversationId = conversation.id;
    try {
      const asked = Promise.resolve(route({ conversation, user: conversation.user }));
      if (!(await settlesWithin(asked, withinMs))) {
        log.error({ conversationId }, `route had no result after ${withinMs} ms; continuing without routing`);
        return null;
      }
      const found = await asked;
      return found === null ? null : readRoute(found);
    } catch (error) {
      log.error({ conversationId, err: error }, 'route failed; continuing without routing');
      return null;
    }
  };
}

function readRoute(value: HandoffRoute): HandoffRoute {
  const { data, error } = routeSchema.safeParse(value);
  if (!data) throw new TypeError(`the result of route is not a HandoffRoute: ${z.prettifyError(error)}`);
  const { tags, priority, department } = data;
  return {
    ...(tags && { tags: [...new Set(tags)] }),
    ...(priority && { priority }),
    ...(department && { department }),
  };
}
