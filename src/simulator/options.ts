import type { SimulatedBot } from './bots.js';
import { type Clock, systemClock } from './clock.js';
import { defaultFailureStatus } from './error.js';

/** Settings of the simulated platform. Everything has a default. */
export interface SimulatorOptions {
  /** The initial bots. Default: none. */
  bots?: readonly SimulatedBot[];
  /** The clock for wait timeouts, idle timeouts and delays. Default: the system clock. */
  clock?: Clock;
  /** How long a user waits for the first reply before the handoff ends. Default: 60 s. */
  waitTimeoutMs?: number;
  /** How long a connected conversation may be silent before it ends. Default: no limit. */
  idleTimeoutMs?: number | undefined;
  /**
   * What happens to a reply or close that arrives before establish was answered. `refuse`, the default: as some
   * deployments do, it is answered 40356, since the conversation does not exist yet. `keep`: it takes effect once
   * establish is answered 200, for hosts that answer last, such as Lambda.
   */
  earlyReplies?: 'refuse' | 'keep';
  /** How long a probed webhook may take, in real time. Default: 5 s. */
  probeTimeoutMs?: number;
  /** How long a receiver may take to answer a delivery, in real time. Default: 10 s. */
  deliveryTimeoutMs?: number;
  /** How long the download of a knowledge file may take, in real time. Default: 10 s. */
  fileTimeoutMs?: number;
  /** The largest knowledge file. Default: 5 MiB. */
  fileMaxBytes?: number;
  /** How many exchanges the traffic log keeps. Default: 500. */
  trafficLimit?: number;
  /** How many conversations are kept; ended conversations are dropped first. Default: 10,000. */
  keepConversations?: number;
  /** The HTTP status of a failure code, which the protocol leaves open. Default: 400, 401, 403, 404 or 500. */
  failureStatus?: (code: number) => number;
  /** Host names for the page besides `localhost` and loopback addresses. */
  allowedHosts?: readonly string[];
  /** Served at `/openapi.json` if given. */
  openapi?: object | undefined;
  /** A logger, such as pino. Default: silent. */
  log?: SimulatorLog;
}

export function withDefaults(options: SimulatorOptions) {
  return {
    bots: [],
    clock: systemClock,
    waitTimeoutMs: 60_000,
    earlyReplies: 'refuse' as const,
    probeTimeoutMs: 5_000,
    deliveryTimeoutMs: 10_000,
    fileTimeoutMs: 10_000,
    fileMaxBytes: 5 * 1024 * 1024,
    trafficLimit: 500,
    keepConversations: 10_000,
    failureStatus: defaultFailureStatus,
    allowedHosts: [],
    log: silentLog,
    ...options,
  };
}

/** The part of a pino logger that the simulator uses. Bodies and secrets are never logged. */
export interface SimulatorLog {
  info: (details: object, message: string) => void;
  warn: (details: object, message: string) => void;
  error: (details: object, message: string) => void;
}

export const silentLog: SimulatorLog = { info() {}, warn() {}, error() {} };
