import { configError, duration, type Log, quantityOf } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import type { Adapter } from './adapter.js';
import { checkAdapter } from './check-adapter.js';
import { type BusinessHours, type IsOpenAt, readHours } from './hours.js';
import type { BridgeMessages } from './messages.js';
import { type AdapterRetryPolicy, DEFAULT_RETRY } from './retry-by-kind.js';

/** Settings of `createBridge`. */
export interface BridgeOptions {
  /** The receiver that hears from the service. Make the bridge before it gets its first request. */
  readonly receiver: Receiver;
  /** The human-service system. */
  readonly adapter: Adapter;
  /** How long a handoff request waits for the system before it is answered. Default 4 seconds. */
  readonly openWithinMs?: number;
  /**
   * What becomes of a handoff that the system cannot take. `busy`: it is refused, and the user is told so by
   * the service. `apologise`: it is accepted at once and opened meanwhile; where that fails for good, the user
   * is told `messages.unavailable` and the conversation ends. Default `busy`.
   */
  readonly whenUnopened?: 'busy' | 'apologise';
  /** How long an accepted handoff is tried to be opened before it counts as failed. Default 45 seconds. */
  readonly giveUpOpeningAfterMs?: number;
  /** When humans are there, or a function that knows it. Default always. */
  readonly hours?: BusinessHours | IsOpenAt;
  /**
   * What becomes of a handoff outside `hours`. `refuse`: the service is told no. `say`: it is accepted, the
   * user is told `messages.outsideHours`, and it ends. Default `refuse`.
   */
  readonly whenClosed?: 'refuse' | 'say';
  /** What the bridge says to users. All off by default. */
  readonly messages?: BridgeMessages;
  /** Puts the agent's name before each reply: `Ada: `, or what a function makes of it. Default off. */
  readonly agentNames?: boolean | ((name: string) => string);
  /** How failures of the system are met. */
  readonly retry?: Partial<AdapterRetryPolicy>;
  /** How long any single call to the adapter may take. Default 30 seconds. */
  readonly callTimeoutMs?: number;
  /** What is read of a webhook request. */
  readonly limits?: {
    /** Default 1 MiB. */
    readonly bodyBytes?: number;
    /** How long the body may take to arrive. Default 10 seconds. */
    readonly readTimeoutMs?: number;
  };
  /** How often to look for what an end of the process left behind. Default 1 minute. */
  readonly tidyEveryMs?: number;
  /** A pino logger, or one like it; `false` for none. Default: warnings and errors to standard output. */
  readonly log?: Log | false;
}

/** The settings with their defaults, checked. */
export interface BridgeSettings {
  readonly openWithinMs: number;
  readonly whenUnopened: 'busy' | 'apologise';
  readonly giveUpOpeningAfterMs: number;
  readonly isOpenAt: IsOpenAt;
  readonly whenClosed: 'refuse' | 'say';
  readonly messages: BridgeMessages;
  readonly withName: (name: string | null, text: string) => string;
  readonly retry: AdapterRetryPolicy;
  readonly callTimeoutMs: number;
  readonly bodyBytes: number;
  readonly readTimeoutMs: number;
  readonly tidyEveryMs: number;
}

const KNOWN: ReadonlySet<string> = new Set<keyof BridgeOptions>([
  'receiver',
  'adapter',
  'openWithinMs',
  'whenUnopened',
  'giveUpOpeningAfterMs',
  'hours',
  'whenClosed',
  'messages',
  'agentNames',
  'retry',
  'callTimeoutMs',
  'limits',
  'tidyEveryMs',
  'log',
]);

/** Reads the settings, and refuses those that cannot work. */
export function readOptions(options: BridgeOptions): BridgeSettings {
  const unknown = Object.keys(options).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) {
    throw configError(
      `createBridge does not know the option ${unknown.join(', ')}. It knows ${[...KNOWN].join(', ')}.`,
    );
  }
  checkAdapter(options.adapter);
  const { messages = {}, whenUnopened = 'busy', whenClosed = 'refuse' } = options;
  if (whenUnopened === 'apologise' && messages.unavailable === undefined) {
    throw configError(`whenUnopened: 'apologise' needs messages.unavailable: what the user is told.`);
  }
  if (whenClosed === 'say' && messages.outsideHours === undefined) {
    throw configError(`whenClosed: 'say' needs messages.outsideHours: what the user is told.`);
  }
  return {
    openWithinMs: duration('openWithinMs', options.openWithinMs ?? 4_000),
    whenUnopened,
    giveUpOpeningAfterMs: duration('giveUpOpeningAfterMs', options.giveUpOpeningAfterMs ?? 45_000),
    isOpenAt: readHours(options.hours),
    whenClosed,
    messages,
    withName: prefixOf(options.agentNames ?? false),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    callTimeoutMs: duration('callTimeoutMs', options.callTimeoutMs ?? 30_000),
    bodyBytes: quantityOf('limits.bodyBytes', options.limits?.bodyBytes ?? 1_048_576),
    readTimeoutMs: duration('limits.readTimeoutMs', options.limits?.readTimeoutMs ?? 10_000),
    tidyEveryMs: duration('tidyEveryMs', options.tidyEveryMs ?? 60_000),
  };
}

function prefixOf(agentNames: NonNullable<BridgeOptions['agentNames']>): BridgeSettings['withName'] {
  if (agentNames === false) return (_name, text) => text;
  const prefix = agentNames === true ? (name: string) => `${name}: ` : agentNames;
  return (name, text) => (name === null || name.trim() === '' ? text : `${prefix(name)}${text}`);
}
