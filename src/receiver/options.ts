import { createServiceClient, type ServiceClient, type ServiceClientOptions } from '../client/index.js';
import type { Delivery } from '../delivery/index.js';
import type { HandoffRequestedContext } from '../events/index.js';
import { configError, type Log } from '../internal/index.js';
import type { HandoffAnswers } from './answer.js';
import type { AuthChoice } from './auth/schemes.js';
import type { EndpointPaths } from './routes.js';

/** Settings of `createReceiver`. */
export interface ReceiverOptions {
  /** Who may send what. There is no default: name both, `false` for a group that is not mounted. */
  readonly auth: {
    /** The message webhook. */
    readonly message: AuthChoice | false;
    /** The handoff endpoints, to which known deployments send no credentials at all. */
    readonly handoff: AuthChoice | false;
  };
  /** The platform's API: its address and the agent's API key, or a client. Without it, `reply` fails. */
  readonly service?: ServiceClient | ServiceClientOptions;
  /** How events get from "accepted" to "handled". Default: `inline()`, handlers run before the answer. */
  readonly delivery?: Delivery;
  /**
   * The first reply of every handoff, sent once it was answered 200: without one, the platform ends the handoff. A
   * function that returns `null` sends nothing.
   */
  readonly greeting?: string | ((context: GreetingContext) => string | null | Promise<string | null>);
  /** How long the platform waits for a first reply. Default 60 seconds, as the platform's own. */
  readonly waitTimeoutMs?: number;
  /** The path of the mount, where Express's `app.use(path, …)` does not strip it. Default `/`. */
  readonly basePath?: string;
  /** Other paths of single endpoints, below the mount. */
  readonly paths?: Partial<EndpointPaths>;
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
  /** A pino logger, or one like it; `false` for none. Default: warnings and errors to standard output. */
  readonly log?: Log | false;
}

/** The argument of a greeting function. */
export type GreetingContext = Pick<
  HandoffRequestedContext,
  'payload' | 'conversationId' | 'user' | 'transcript'
>;

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof ReceiverOptions>([
  'auth',
  'service',
  'delivery',
  'greeting',
  'waitTimeoutMs',
  'basePath',
  'paths',
  'probes',
  'answers',
  'limits',
  'log',
]);

/** Throws for options that would be ignored: most often a misspelt name. */
export function checkOptionNames(options: object): void {
  const unknown = Object.keys(options).filter((name) => !OPTION_NAMES.has(name));
  if (unknown.length === 0) return;
  throw configError(
    `createReceiver does not know the option ${unknown.join(', ')}. It knows ${[...OPTION_NAMES].join(', ')}.`,
  );
}

/** The client to reply with. */
export function serviceOf(service: ReceiverOptions['service']): ServiceClient | null {
  if (service === undefined) return null;
  return 'reply' in service ? service : createServiceClient(service);
}
