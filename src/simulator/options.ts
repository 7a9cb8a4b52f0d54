import type { SimulatedAgent } from './agents.js';
import { type Clock, systemClock } from './clock.js';
import { defaultFailureStatus } from './http/endpoint.js';

/** How the simulated platform is set up. Everything has a default. */
export interface SimulatorOptions {
  /** The agents at the start. Default: none. */
  agents?: readonly SimulatedAgent[];
  /** Time for waiting, idling and delaying. Default: the machine's. */
  clock?: Clock;
  /** How long a user waits for the first reply before the handoff ends. Default: 60 s. */
  waitTimeoutMs?: number;
  /** How long a connected conversation may be silent before it ends. Default: for ever. */
  idleTimeoutMs?: number | undefined;
  /** How long a probed webhook may take, in real time. Default: 5 s. */
  probeTimeoutMs?: number;
  /** How long a receiver may take to answer a delivery, in real time. Default: 10 s. */
  deliveryTimeoutMs?: number;
  /** How long a knowledge file may take to come, in real time. Default: 10 s. */
  fileTimeoutMs?: number;
  /** The longest knowledge file. Default: 5 MiB. */
  fileMaxBytes?: number;
  /** Requests that the log of traffic keeps. Default: 500. */
  trafficLimit?: number;
  /** Conversations that are kept when they are over. Default: 10,000. */
  keepConversations?: number;
  /** The HTTP status for a failure code. The contract is silent; default: 400, 401, 403, 404 or 500. */
  failureStatus?: (code: number) => number;
  /** Names besides those of this machine under which the page may be opened. */
  allowedHosts?: readonly string[];
  /** Who may show the page in a frame. Default: nobody. */
  framedBy?: 'nobody' | 'same-origin';
  /** Served at `/openapi.json` when given. */
  openapi?: object | undefined;
  /** Where to say what happens, such as a pino logger. Default: nowhere. */
  log?: SimulatorLog;
}

/** The options with their defaults. */
export function withDefaults(options: SimulatorOptions) {
  return {
    agents: [],
    clock: systemClock,
    waitTimeoutMs: 60_000,
    probeTimeoutMs: 5_000,
    deliveryTimeoutMs: 10_000,
    fileTimeoutMs: 10_000,
    fileMaxBytes: 5 * 1024 * 1024,
    trafficLimit: 500,
    keepConversations: 10_000,
    failureStatus: defaultFailureStatus,
    allowedHosts: [],
    framedBy: 'nobody' as const,
    log: silentLog,
    ...options,
  };
}

/** Where the simulator says what happens: pino's shape. It never holds bodies or secrets. */
export interface SimulatorLog {
  info: (details: object, message: string) => void;
  warn: (details: object, message: string) => void;
  error: (details: object, message: string) => void;
}

/** A log that keeps to itself. */
export const silentLog: SimulatorLog = { info() {}, warn() {}, error() {} };
