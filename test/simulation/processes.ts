import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Faults, LEASE_MS } from './faults.js';
import type { Random } from './random.js';
import { type Scheduler, type SimulatedProcess, wallClock } from './scheduler.js';

/** The program that a process runs. */
export interface Program {
  /** Receives a request of the platform. */
  receive(request: IncomingMessage, response: ServerResponse): void;
  /** Receives a request of the helpdesk. */
  receiveFromHelpdesk(request: IncomingMessage, response: ServerResponse): void;
  /** Rejects when the program cannot start; the process then ends, and is started again. */
  readonly started: Promise<void>;
  /** Stops properly. */
  stop(timeoutMs: number): Promise<unknown>;
}

/** A process that may run the program already. */
export interface RunningProcess extends SimulatedProcess {
  /** Its successor takes the same place. */
  readonly place: number;
  program: Program | null;
}

/** The processes of a history: each dies, is paused or stopped at any moment, and is started again. */
export interface Processes {
  /** A process that takes requests, as a load balancer chooses it; `null` when there is none. */
  choose(): RunningProcess | null;
  /** Pauses all processes, and those that are started meanwhile. */
  suspend(ms: number): void;
  /** Ends all faults: paused processes go on. */
  calmDown(): void;
  readonly deaths: number;
  readonly pauses: number;
}

/** Options of {@link createProcesses}. */
export interface ProcessOptions {
  readonly scheduler: Scheduler;
  readonly faults: () => Faults;
  /** When a process is stopped properly; `null` for never. */
  readonly deployedAt: number | null;
  /** Starts the program. */
  readonly start: (process: SimulatedProcess) => Program;
}

/** A process that ended is started again within this time. */
const LONGEST_RESTART_MS = LEASE_MS;

/** Starts one to three processes, mostly two. */
export function createProcesses({ scheduler, faults, deployedAt, start }: ProcessOptions): Processes {
  const { random } = scheduler;
  const places: (RunningProcess | null)[] = Array.from({ length: random.pick([1, 2, 2, 3]) }, () => null);
  let deaths = 0;
  let pauses = 0;
  let suspendedUntil = 0;

  const end = (process: RunningProcess, reason: string): void => {
    if (!process.isAlive) return;
    process.isAlive = false;
    scheduler.trace(process.name, reason);
    scheduler.schedule(null, random.between(20, LONGEST_RESTART_MS), '', () => begin(process.place));
  };

  let begun = 0;
  const begin = (place: number): void => {
    begun += 1;
    const process = createProcess(scheduler, place, `p${begun}`, random.fork(`process ${begun}`));
    process.pausedUntil = suspendedUntil;
    places[place] = process;
    scheduler.schedule(process, 0, 'starts', () => {
      process.program = start(process);
      process.program.started.catch((error: unknown) => end(process, `cannot start: ${String(error)}`));
    });
  };

  const stopOne = (): void => {
    const process = places[random.whole(0, places.length - 1)];
    if (!process?.isAlive) return;
    scheduler.schedule(process, 0, 'is asked to stop', () => {
      process.isStopping = true;
      const stopped = (): void => end(process, 'has stopped');
      process.program?.stop(random.whole(1, LEASE_MS)).then(stopped, stopped);
    });
  };

  scheduler.before = (process, danger) => {
    const found = places.find((each) => each === process);
    if (!found) return;
    if (random.chance(faults().dies)) {
      deaths += 1;
      end(found, 'dies');
    } else if (process.pausedUntil <= scheduler.now && random.chance(danger * faults().pauses)) {
      pauses += 1;
      const ms = random.between(danger > 1 ? LEASE_MS : 1, faults().longestPauseMs);
      process.pausedUntil = scheduler.now + ms;
      scheduler.trace(process.name, `is paused for ${ms.toFixed(0)} ms`);
    }
  };

  for (const place of places.keys()) scheduler.schedule(null, random.between(0, 500), '', () => begin(place));
  if (deployedAt !== null) scheduler.schedule(null, deployedAt, '', stopOne);

  return {
    choose() {
      const up = places.filter((process) => process?.isAlive && process.program);
      return up[random.whole(0, up.length - 1)] ?? null;
    },
    suspend(ms) {
      suspendedUntil = scheduler.now + ms;
      for (const process of places)
        if (process) process.pausedUntil = Math.max(process.pausedUntil, suspendedUntil);
    },
    calmDown() {
      for (const process of places)
        if (process) process.pausedUntil = Math.min(process.pausedUntil, scheduler.now);
    },
    get deaths() {
      return deaths;
    },
    get pauses() {
      return pauses;
    },
  };
}

function createProcess(scheduler: Scheduler, place: number, name: string, random: Random): RunningProcess {
  const startedAt = scheduler.now;
  const process: RunningProcess = {
    place,
    name,
    isAlive: true,
    isStopping: false,
    pausedUntil: 0,
    owner: null,
    program: null,
    wallClock: () => wallClock(scheduler.now),
    monotonicClock: () => scheduler.now - startedAt,
    chance: () => random.next(),
    startTimer(ms, callback) {
      const timer = scheduler.schedule(process, ms, '', callback);
      return () => timer.cancel();
    },
  };
  return process;
}
