import { createServiceClient, type ServiceClient, type ServiceClientOptions } from '../client/index.js';
import type { Delivery } from '../delivery/index.js';
import type { HandoffRequestedContext } from '../events/index.js';
import { configError, type Log } from '../internal/index.js';
import type { HandoffAnswers } from './answer.js';
import type { AuthChoice } from './auth/index.js';
import type { EndpointPaths } from './routes.js';

/** Settings of `createReceiver`. */
export interface ReceiverOptions {
  /** Who may send what. There is no default: both must be said, `false` for a group that is not mounted. */
  readonly auth: {
    /** The message webhook. */
    readonly message: AuthChoice | false;
    /** The handoff endpoints, to which known deployments send no credentials at all. */
    readonly handoff: AuthChoice | false;
  };
  /** The service to reply to: where it is and the agent's API key, or a client. Without it, `reply` fails. */
  readonly service?: ServiceClient | ServiceClientOptions;
  /** What happens between "accepted" and "handled". Default: handlers run before the answer. */
  readonly delivery?: Delivery;
  /**
   * Sent as the first reply of every handoff once it was answered 200, so that the service does not end it for
   * want of one. `null` from a function sends nothing.
   */
  readonly greeting?: string | ((context: GreetingContext) => string | null | Promise<string | null>);
  /** How long the service waits for a first reply. Default 60 seconds, as the service's own. */
  readonly waitTimeoutMs?: number;
  /** Where the endpoints are, where nothing like Express's `app.use(path, …)` says it. Default `/`. */
  readonly basePath?: string;
  /** Other paths of single endpoints, below the mount. */
  readonly paths?: Partial<EndpointPaths>;
  /** Availability tests. */
  readonly probes?: {
    /** Whether a probe needs the credentials of its endpoint. Default `required`. */
    readonly auth?: 'required' | 'none';
  };
  /** What handoff endpoints answer. */
  readonly answers?: HandoffAnswers;
  /** What is read of a request. */
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

/** What a function that makes a greeting gets. */
export type GreetingContext = Pick<
  HandoffRequestedContext,
  'payload' | 'conversationId' | 'user' | 'transcript'
>;

const KNOWN: ReadonlySet<string> = new Set<keyof ReceiverOptions>([
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

/** Refuses options that would be ignored: most often a name misspelt. */
export function checkOptionNames(options: object): void {
  const unknown = Object.keys(options).filter((name) => !KNOWN.has(name));
  if (unknown.length === 0) return;
  throw configError(
    `createReceiver does not know the option ${unknown.join(', ')}. It knows ${[...KNOWN].join(', ')}.`,
  );
}

/** The client to reply with, made where only its settings are given. */
export function serviceOf(service: ReceiverOptions['service']): ServiceClient | null {
  if (service === undefined) return null;
  return 'reply' in service ? service : createServiceClient(service);
}
