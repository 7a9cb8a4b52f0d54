import type { PlatformClient, PlatformClientOptions } from '../client/index.js';
import type { Delivery } from '../delivery/index.js';
import type { HandoffRequestedContext } from '../events/index.js';
import { checkOptionNames, configError, type Log } from '../internal/index.js';
import type { RecordOptions } from '../recording/index.js';
import type { AuthChoice } from './auth/schemes.js';
import type { HandoffAnswers } from './exchange.js';
import type { EndpointPaths } from './routes.js';

/** The credentials and the platform of one bot. */
export interface BotOptions {
  /** The credentials of each group of endpoints. There is no default; `false` does not mount a group. */
  readonly auth: {
    /** The message webhook. */
    readonly message: AuthChoice | false;
    /** The handoff endpoints, to which known platforms send no credentials at all. */
    readonly handoff: AuthChoice | false;
  };
  /** The platform's API: its address and the bot's API key, or a client. Without it, `reply` fails. */
  readonly platform?: PlatformClient | PlatformClientOptions;
}

/** Settings of `createReceiver` with one bot, which is named `default`. */
export interface ReceiverOptions extends CommonReceiverOptions, BotOptions {
  readonly bots?: undefined;
}

/** Settings of `createReceiver` with several bots. */
export interface SeveralBotsOptions extends CommonReceiverOptions {
  readonly auth?: undefined;
  readonly platform?: undefined;
  /**
   * The bots, by names of your choice. Requests are told apart by their credentials, or by the bot's name in the path:
   * `/sales/chat`. Bots with `noAuth()` or a function are reachable only there.
   *
   * Handlers get the name as `context.bot`. The ids of conversations begin with it, since two bots may have the same
   * ids: `sales/65d4…`. The bot named `default` keeps the platform's ids, so that an application with one bot can add
   * others: it names its old one `default`.
   *
   * @example
   * createReceiver({
   *   bots: {
   *     sales: { auth: { message: webhookUser({ username: 'sales' }), handoff: false }, platform },
   *     support: { auth: { message: webhookUser({ username: 'support' }), handoff: pathToken(token) }, platform },
   *   },
   * });
   */
  readonly bots: Readonly<Record<string, BotOptions>>;
}

/** The settings of a receiver, whether it has one bot or several. */
export interface CommonReceiverOptions {
  /**
   * The receiver's name. Receivers that share a database are kept apart by it: each handles its own events and sends its
   * own replies. Processes that run the same receiver share its name. They also share how long events are remembered:
   * the shortest `rememberMs` counts. Default `default`.
   *
   * @example createReceiver({ name: 'shop', auth, platform, delivery: postgres({ connectionString }) });
   */
  readonly name?: string;
  /** Where events are kept until they are handled. Default: `inline()`, handlers run before the answer. */
  readonly delivery?: Delivery;
  /**
   * The first reply of every handoff, sent once the request was answered 200. Without any reply in time, the platform
   * ends the handoff. A function that returns `null` sends nothing.
   */
  readonly greeting?: string | ((context: GreetingContext) => string | null | Promise<string | null>);
  /**
   * The answer to a handoff request if no handler of `handoff.requested` is registered, by `on` or by a bridge.
   *
   * - `refuse`, the default: 503, and the platform tells the user that no agent is free.
   * - `accept`: 200. For an application that finds its conversations otherwise, with `receiver.conversations` or in
   *   handlers of `handoff.message`; the user waits until it replies.
   */
  readonly unhandled?: 'refuse' | 'accept';
  /** How long the platform waits for a first reply, as set there. Default 60 seconds. */
  readonly waitTimeoutMs?: number;
  /** The path of the mount, unless Express's `app.use(path, …)` strips it. Default `/`. */
  readonly basePath?: string;
  /** Other paths of the message webhook or the handoff endpoints, below the mount. */
  readonly paths?: EndpointPaths;
  /** Availability tests. */
  readonly probes?: {
    /** Whether a probe needs the credentials of its endpoint. Default `required`. */
    readonly auth?: 'required' | 'none';
  };
  /** The answers of the handoff endpoints. */
  readonly answers?: HandoffAnswers;
  /** Limits of reading a request. */
  readonly limits?: {
    /** Default 256 KiB. */
    readonly bodyBytes?: number;
    /** Default 64 levels. */
    readonly depth?: number;
    /** How long the body may take to arrive. Default 10 seconds. */
    readonly readTimeoutMs?: number;
  };
  /**
   * A pino logger, or one like it; `false` for none. Default: `createLog()`, which writes to standard output. Secrets
   * and the words of users are redacted in a pino logger only.
   */
  readonly log?: Log | false;
  /**
   * Records every exchange with the platform, in both directions, for `handoff-kit replay`. Credentials are left out,
   * and words are replaced unless `keepContent`.
   *
   * @example createReceiver({ auth, platform, record: { to: 'monday.jsonl' } });
   */
  readonly record?: RecordOptions;
}

/** The argument of a greeting function. */
export type GreetingContext = Pick<
  HandoffRequestedContext,
  'payload' | 'bot' | 'conversationId' | 'user' | 'transcript'
>;

const OPTION_NAMES: readonly (keyof ReceiverOptions)[] = [
  'auth',
  'platform',
  'bots',
  'name',
  'delivery',
  'greeting',
  'unhandled',
  'waitTimeoutMs',
  'basePath',
  'paths',
  'probes',
  'answers',
  'limits',
  'log',
  'record',
];

/** Throws for unknown options, also in options that are objects. */
export function checkReceiverOptions(options: Partial<CommonReceiverOptions>): void {
  const { limits, probes, answers, paths, delivery, greeting } = options;
  checkOptionNames('createReceiver', options, OPTION_NAMES);
  checkOptionNames('limits of createReceiver', limits, ['bodyBytes', 'depth', 'readTimeoutMs']);
  checkOptionNames('probes of createReceiver', probes, ['auth']);
  checkOptionNames('answers of createReceiver', answers, ['success', 'failure']);
  checkOptionNames('paths of createReceiver', paths, ['message', 'handoff']);
  if (delivery !== undefined && typeof delivery?.connect !== 'function') {
    throw configError(
      'delivery must be one of inline(), sqlite({ file }) and postgres({ connectionString }).',
    );
  }
  if (greeting !== undefined && typeof greeting !== 'string' && typeof greeting !== 'function') {
    throw configError('greeting must be a text, or a function that returns one.');
  }
}

/** What to do about a missing handler of handoff requests, for the log. */
export const ADD_HANDOFF_HANDLER =
  "add receiver.on('handoff.requested', …) or a bridge, or set unhandled: 'accept' to do without.";

/** Whether handoff requests without a handler are accepted. */
export function acceptsUnhandled(unhandled: ReceiverOptions['unhandled'] = 'refuse'): boolean {
  if (unhandled === 'refuse' || unhandled === 'accept') return unhandled === 'accept';
  throw configError("unhandled must be 'refuse' or 'accept'.");
}
