import { createPlatformClient, type PlatformClient } from '../../src/client/index.js';
import { createStoredDelivery } from '../../src/delivery/stored-delivery.js';
import { DEFAULT_BOT } from '../../src/events/index.js';
import { bearer, createReceiver, type Delivery, type Log, noAuth } from '../../src/public/index.js';
import { createTimedBridge } from '../bridge/timed-bridge.js';
import { createApplication, watchHandlers } from './application.js';
import { chooseFaults, DANGER, type Faults, LEASE_MS, NO_FAULTS } from './faults.js';
import { createHelpdesk } from './helpdesk.js';
import { type Parts, replaceParts } from './parts.js';
import { conversationIdOf, createPlatform } from './platform.js';
import { createProcesses, type Program } from './processes.js';
import { createRandom } from './random.js';
import { createScheduler, type Scheduler, type SimulatedProcess } from './scheduler.js';
import { createStorage, type StorageMistakes } from './storage.js';
import { createWitness, eventOfRequest, labelOf, type Witness } from './witness.js';

/** A mistake that is put into the code, to show that the simulation finds it. */
export interface Mistakes extends StorageMistakes {
  readonly delivery?: (delivery: Delivery) => Delivery;
  /** Changes the client of the platform. */
  readonly client?: (client: PlatformClient) => PlatformClient;
  /** Replaces parts inside the delivery. */
  readonly parts?: Parts;
  /** How often each process looks for jobs without being notified. */
  readonly pollMs?: number;
}

/** Options of {@link runHistory}. */
export interface HistoryOptions {
  readonly seed: number;
  readonly isTraced?: boolean;
  readonly mistakes?: Mistakes;
}

/** The result of a history. */
export interface HistoryResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** What happened, one line per event; empty unless it was asked for. */
  readonly trace: readonly string[];
  readonly counts: HistoryCounts;
}

/** The number of events and replies of a history, and of what came in their way. */
export interface HistoryCounts {
  readonly events: number;
  readonly replies: number;
  readonly dead: number;
  readonly deaths: number;
  readonly pauses: number;
}

/** A second bot in the same receiver. */
const OTHER_BOT = 'sales';

/** How long it takes to get a token for the platform. */
const TOKEN_MS = 20;

const POLL_MS = 400;
const MAX_ATTEMPTS = 4;

/** The part of a history with faults. */
const FAULTY_MS = 5_000;

/** Then everything works, and what was accepted must be done within this time. */
const CALM_MS = 60_000;

/** The bridge reconciles its conversations with the helpdesk, and has this time for what went wrong. */
const RECONCILE_MS = 5_000;
const REPAIR_MS = 6 * RECONCILE_MS;

/** Once nothing waits, processes that were paused get this time to show that they know what they missed. */
const AFTERMATH_MS = 1_000;

/** Runs one history. The same seed gives the same history. */
export async function runHistory(options: HistoryOptions): Promise<HistoryResult> {
  const { seed, isTraced = false, mistakes = {} } = options;
  replaceParts(mistakes.parts ?? {});
  const random = createRandom(`history ${seed}`);
  const scheduler = createScheduler(random, isTraced);
  const chosen = chooseFaults(random);
  const hasHelpdesk = random.chance(0.4);
  let current: Faults = chosen;
  const faults = (): Faults => current;
  scheduler.trace('world', describe(chosen));

  const renewals = new Map<SimulatedProcess, number>();
  const storage = createStorage({
    scheduler,
    faults,
    labelOf,
    mistakes: {
      ...mistakes,
      engine(engine, process) {
        const renew: typeof engine.lease.renew = async (record) => {
          renewals.set(process, scheduler.now);
          // Simulated processes cannot be looked for by their ids.
          const result = await engine.lease.renew({ ...record, identity: null });
          for (const other of result.others) witness.processRead(other);
          return result;
        };
        const watched = { ...engine, lease: { ...engine.lease, renew } };
        return mistakes.engine?.(watched, process) ?? watched;
      },
    },
    onCommit(commit) {
      const { process, command } = commit;
      if (command[0] === 'renewLease') witness.leaseRenewed(process, renewals.get(process) ?? 0);
      witness.committed(commit);
    },
  });
  const witness = createWitness({
    scheduler,
    storage,
    leaseMs: LEASE_MS,
    maxAttempts: MAX_ATTEMPTS,
    hasHelpdesk,
  });

  const bots = random.pick([[DEFAULT_BOT], [DEFAULT_BOT, OTHER_BOT]]);
  const conversations = Array.from({ length: random.whole(1, 3) }, (_, index) => {
    // Bots have conversations with the same ids.
    const bot = bots[index % bots.length] ?? DEFAULT_BOT;
    const platformId = `c${Math.floor(index / bots.length) + 1}`;
    return {
      id: conversationIdOf(bot, platformId),
      platformId,
      bot,
      kind: random.chance(0.7) ? ('handoff' as const) : ('message' as const),
      events: random.whole(1, 5),
      isClosedByUser: random.chance(0.3),
      isEnded: random.chance(0.5),
    };
  });
  /** The number of the event at which the application, or the bot, ends a conversation. */
  const endsAt = (id: string): number | null => {
    const found = conversations.find((conversation) => conversation.id === id);
    return found?.isEnded && !found.isClosedByUser ? found.events - 1 : null;
  };
  const application = createApplication(scheduler, random.fork('application'), witness, {
    troubles: chosen.troubles,
    endsAt,
  });

  const tokenOf = (process: SimulatedProcess): Promise<Record<string, string>> =>
    new Promise((resolve) => {
      scheduler.schedule(process, random.between(0, TOKEN_MS), '', () => resolve({}), DANGER);
    });

  const start = (process: SimulatedProcess): Program => {
    const log = logOf(scheduler, witness, process);
    const stored = createStoredDelivery(
      {
        maxAttempts: MAX_ATTEMPTS,
        backoff: { minDelayMs: 50, maxDelayMs: 500 },
        outbox: { minDelayMs: 50, maxDelayMs: 500 },
        handlerTimeoutMs: 2_000,
      },
      { concurrency: 2, leaseMs: LEASE_MS, pollMs: mistakes.pollMs ?? POLL_MS },
      (settings) => storage.engineOf(process, settings),
    );
    const delivery = mistakes.delivery?.(stored) ?? stored;
    const optionsOf = (bot: string) => {
      const client = createPlatformClient({
        baseUrl: 'http://platform.test',
        apiKey: 'key',
        // As for a token that another system gives out.
        headers: () => tokenOf(process),
        fetch: platform.fetchOf(process, bot),
        timeoutMs: 500,
        retry: { retries: 2, minDelayMs: 50, maxDelayMs: 300, maxElapsedMs: 1_500 },
      });
      return {
        auth: { message: bearer(bot), handoff: noAuth() },
        platform: mistakes.client?.(client) ?? client,
      };
    };
    const receiver = createReceiver({
      bots: Object.fromEntries(bots.map((bot) => [bot, optionsOf(bot)])),
      delivery: hasHelpdesk ? watchHandlers(delivery, process, witness) : delivery,
      log,
    });
    const bridge = hasHelpdesk
      ? createTimedBridge({
          receiver,
          adapter: helpdesk.adapterOf(process),
          openWithinMs: 600,
          callTimeoutMs: 500,
          retry: { tries: 4, firstWaitMs: 50 },
          reconcileEveryMs: RECONCILE_MS,
          log,
        })
      : null;
    if (hasHelpdesk) receiver.on('message', () => undefined);
    else application.register(receiver, process);
    return {
      receive: (request, response) => receiver(request, response),
      receiveFromHelpdesk: (request, response) => bridge?.webhook(request, response),
      started: receiver.start(),
      async stop(timeoutMs) {
        await receiver.close({ timeoutMs });
        await bridge?.close({ timeoutMs });
      },
    };
  };

  const deployedAt = chosen.isDeployed ? random.between(500, FAULTY_MS) : null;
  const processes = createProcesses({ scheduler, faults, deployedAt, start });
  const choose: typeof processes.choose = () => processes.choose();
  const platform = createPlatform({ scheduler, witness, faults, choose });
  const storedConversations = (): StoredConversation[] =>
    storage
      .query('SELECT content FROM conversation')
      .map(({ content }) => JSON.parse(String(content)) as StoredConversation);
  const helpdesk = createHelpdesk({
    scheduler,
    witness,
    faults,
    choose,
    endsAt,
  });
  for (const conversation of conversations) platform.converse(conversation);

  const hasDeadLetter = (id: string): boolean =>
    [...storage.jobs.values()].some(({ conversation, state }) => conversation === id && state === 'dead');

  /** What the bridge has yet to repair: open tickets without a user, and conversations that do not end. */
  const loose = (): string[] => {
    const stored = storedConversations();
    const linked = stored.filter(({ state }) => OPEN.has(state)).map(({ link }) => link?.externalId);
    return [
      ...helpdesk
        .openTickets()
        .filter(({ id }) => !linked.includes(id))
        .map(({ id, conversationId }) => `ticket ${id} of ${conversationId} is open without a user`),
      ...stored
        .filter(({ id, state }) => state === 'closing' && !hasDeadLetter(id))
        .map(({ id }) => `the end of ${id} is left halfway`),
    ];
  };

  if (chosen.outage) {
    const lastsMs = random.between(1.2, 2.5) * LEASE_MS;
    scheduler.schedule(
      null,
      random.between(500, FAULTY_MS - lastsMs),
      `outage of the ${chosen.outage}`,
      () => {
        if (chosen.outage === 'machine') processes.suspend(lastsMs);
        else current = { ...chosen, isAway: true };
        scheduler.schedule(null, lastsMs, 'the outage ends', () => {
          current = chosen;
          witness.outageEnded();
        });
      },
    );
  }

  await scheduler.runUntil(() => false, FAULTY_MS);
  current = NO_FAULTS;
  processes.calmDown();
  scheduler.trace('world', 'from now on everything works');
  const isDone = (): boolean =>
    platform.isIdle() &&
    helpdesk.isIdle() &&
    storage.query('SELECT id FROM bridge_event').length === 0 &&
    [...storage.jobs.values()].every(({ state }) => state !== 'waiting');
  await scheduler.runUntil(isDone, CALM_MS);
  await scheduler.runUntil(() => false, AFTERMATH_MS);
  // A process that was paused may have taken a late request meanwhile.
  if (!(await scheduler.runUntil(isDone, CALM_MS))) witness.violation('the history does not come to an end');
  const repairedBy = scheduler.now + REPAIR_MS;
  while (hasHelpdesk && loose().length > 0 && scheduler.now < repairedBy)
    await scheduler.runUntil(() => false, LEASE_MS);
  if (hasHelpdesk) for (const text of loose()) witness.violation(text);
  witness.conclude();

  const jobs = [...storage.jobs.values()];
  return {
    seed,
    violations: witness.violations,
    trace: scheduler.lines,
    counts: {
      events: jobs.filter(({ queue }) => queue === 'inbox').length,
      replies: jobs.filter(({ queue }) => queue === 'outbox').length,
      dead: jobs.filter(({ state }) => state === 'dead').length,
      deaths: processes.deaths,
      pauses: processes.pauses,
    },
  };
}

interface StoredConversation {
  readonly id: string;
  readonly state: string;
  readonly link: { readonly externalId: string } | null;
}

const OPEN: ReadonlySet<string> = new Set(['requested', 'waiting', 'connected']);

const describe = (faults: Faults): string =>
  Object.entries(faults)
    .filter(([, value]) => value !== 0 && value !== false)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Number(value.toFixed(3)) : value}`)
    .join(', ');

/** A log whose lines are in the trace, and whose reports the witness counts. */
function logOf(scheduler: Scheduler, witness: Witness, { name }: SimulatedProcess): Log {
  const line = (about: object, text: string): void => {
    const { err, reason, requestId, eventId, conversationId } = about as Readonly<Record<string, unknown>>;
    const details = [err, reason].filter((each) => each !== undefined).map(String);
    scheduler.trace(name, `log: ${text} ${details.join(' ')}`);
    if (text === 'handling an event failed') witness.failureReported(eventOfRequest(String(requestId)));
    if (text === 'event dropped') witness.dropped(String(eventId));
    if (text.startsWith('message dropped')) witness.dropped(String(conversationId));
  };
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: line,
    error: line,
    child: () => log,
    isLevelEnabled: (level) => level === 'warn' || level === 'error',
  };
  return log;
}
