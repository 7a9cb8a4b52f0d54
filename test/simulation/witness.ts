import type { AddResult, ProcessRecord, QueueKind } from '../../src/delivery/queue.js';
import { queueOwnerOf } from '../../src/delivery/storage/encoding.js';
import type { Scheduler, SimulatedProcess } from './scheduler.js';
import type { Commit, JobRecord, Storage } from './storage.js';

/**
 * Sees everything that happens in a history, and notes what must not. The promises, in the order of the checks:
 *
 * 1. An event that was answered 200 is stored, and in the end handled or a dead letter.
 * 2. A handler starts only for the first unfinished event of a conversation, in the process that has claimed it, and
 *    while no other process that renews its lease handles that conversation.
 * 3. A reply is sent only if it is the first unsent one of its conversation, by the process that has claimed it. The
 *    user sees replies in the order of the events that they answer, and the close after them.
 * 4. A reply is sent again only if its sender cannot know that it arrived.
 * 5. A message is sent to the helpdesk only by the process that has claimed its event. What a bot writes is stored as
 *    a reply, or dropped with a warning, once the helpdesk was told that it is safe.
 * 6. An event or a reply ends or fails only by the process that has claimed it, and so does a handler reply and act in
 *    other systems. Every conversation knows how many jobs it has.
 * 7. No process loses its conversations within a lease after it renewed that, or after an outage that concerned all.
 * 8. In the end nothing waits, and a dead letter has failed as often as the settings say, each time with a report.
 */
export interface Witness {
  readonly violations: readonly string[];
  /** The platform, or the helpdesk, was told that an event is safe. */
  acknowledged(process: SimulatedProcess, event: string): void;
  /** A handler was called. Returns what to call when it ends. */
  handlerStarted(
    process: SimulatedProcess,
    event: string,
  ): (outcome: 'done' | 'failed' | 'postponed') => void;
  /** A handler acts in another system, right after it made sure of its claim. */
  acted(process: SimulatedProcess, event: string): void;
  /** A failed attempt was reported to the operator. */
  failureReported(event: string): void;
  /** A process has the receipt of a reply. */
  replyStored(reply: string): void;
  /** A receipt says that the platform has a reply. */
  reportedDelivered(reply: string): void;
  /** A process sends a reply. Returns what to call when its answer has reached the process. */
  replySent(process: SimulatedProcess, reply: string): (isSuccess: boolean) => void;
  /** The platform has a reply. */
  replyArrived(reply: string): void;
  /** The platform refuses a reply for good. */
  replyRefused(reply: string): void;
  /** A process sends a user's message to the helpdesk. */
  messageSent(process: SimulatedProcess, event: string): void;
  /** The helpdesk has a user's message. Returns whether it is new. */
  messageArrived(event: string): boolean;
  /** The helpdesk was told that a bot's event is safe. */
  botEventSafe(reply: string): void;
  /** A message of a user, or an event of the helpdesk, was dropped with a line in the log. */
  dropped(name: string): void;
  /** A renewal of the lease, with the time at which the process asked for it. */
  leaseRenewed(process: SimulatedProcess, askedAt: number): void;
  /** A process has read the record of another. */
  processRead(record: ProcessRecord): void;
  /** From now on, no outage concerns all processes. */
  outageEnded(): void;
  /** A process has changed the database. */
  committed(commit: Commit): void;
  /** Notes something else that must not happen. */
  violation(text: string): void;
  /** The checks at the end. */
  conclude(): void;
}

interface Run {
  readonly process: SimulatedProcess;
  readonly conversation: string;
  readonly event: string;
  readonly startedAt: number;
}

interface Send {
  readonly process: SimulatedProcess;
  readonly startedAt: number;
  isSuccess: boolean;
}

interface Lease {
  from: number;
  committedAt: number;
  /** When it was last found to have expired. */
  gapAt: number;
}

/** Options of {@link createWitness}. */
export interface WitnessOptions {
  readonly scheduler: Scheduler;
  readonly storage: Storage;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Whether users' messages go to a helpdesk. */
  readonly hasHelpdesk: boolean;
}

/** The first violations say what went wrong; later ones follow from them. */
const MAX_VIOLATIONS = 10;

/** Creates a {@link Witness}. */
export function createWitness({
  scheduler,
  storage,
  leaseMs,
  maxAttempts,
  hasHelpdesk,
}: WitnessOptions): Witness {
  const violations: string[] = [];
  const acknowledged = new Set<string>();
  const running = new Set<Run>();
  const handled = new Set<string>();
  const failures = new Map<string, number>();
  const stored = new Set<string>();
  const delivered = new Set<string>();
  const refused = new Set<string>();
  const sends = new Map<string, Send[]>();
  /** Replies of each conversation in the order in which the user first saw them. */
  const shown = new Map<string, string[]>();
  /** Messages of each conversation in the order in which the bot first saw them. */
  const read = new Map<string, string[]>();
  const dropped = new Set<string>();
  const botEvents = new Set<string>();
  const leases = new Map<SimulatedProcess, Lease>();
  /** Events whose outcome a process has recorded: replies that its handler made later are its own. */
  const recorded = new Set<string>();
  const readAt = new WeakMap<ProcessRecord, number>();
  let outageEndedAt = Number.NEGATIVE_INFINITY;

  const violation = (text: string): void => {
    scheduler.trace('!!!', text);
    if (violations.length < MAX_VIOLATIONS) violations.push(`${scheduler.now.toFixed(1)} ms: ${text}`);
  };

  const jobOf = (queue: QueueKind, label: string): JobRecord | undefined => storage.find(queue, label);

  /** Whether a process has renewed its lease in time since a run began, so that no other may take its conversation. */
  const isProtected = ({ process, startedAt }: Run): boolean => {
    const lease = leases.get(process);
    if (!process.isAlive || process.isStopping || !lease || scheduler.now - lease.from >= leaseMs)
      return false;
    return lease.gapAt < startedAt;
  };

  const checkOwnership = (process: SimulatedProcess, job: JobRecord, what: string): void => {
    const head = storage.headOf(job);
    if (head && head.seq !== job.seq)
      violation(`${what} by ${process.name} before an earlier one of its conversation was finished`);
    if (head?.owner !== process.owner)
      violation(`${what} by ${process.name}, which has not claimed the conversation`);
  };

  /** Checks that a process had the claim under which it recorded the outcome of a job. */
  const checkSettled = ({ process, command: [name, ...args], settled }: Commit): void => {
    for (const { job, claim } of settled) {
      const isRecord = name === 'complete' || name === 'fail';
      if (isRecord && claim?.owner === process.owner && claim.claim === args[3])
        recorded.add(`${process.name} ${job.label}`);
      else violation(`${process.name} ended or failed ${job.label}, whose claim it had lost (${name})`);
    }
  };

  /** Checks that a handler's reply was taken under the claim on its event, even if it was stored before. */
  const checkReply = ({ process, command, result }: Commit): void => {
    const [, queueName, , , type, content] = command as readonly string[];
    const { queue } = queueOwnerOf(queueName ?? '');
    if (queue !== 'outbox' || (result as AddResult).isRefused) return;
    const label = labelOf({ queue, type: type ?? '', content: JSON.parse(content ?? '') });
    const event = jobOf('inbox', label.split(' > ')[0] ?? '');
    if (!event || recorded.has(`${process.name} ${event.label}`)) return;
    const head = storage.headOf(event);
    if (head?.seq !== event.seq || head.owner !== process.owner)
      violation(`${process.name} stored ${label}, although it had lost the claim on its event`);
  };

  /** Checks that a process whose conversations were taken may be dead. */
  const checkReclaim = (by: SimulatedProcess, record: ProcessRecord): void => {
    const [process, lease] = [...leases].find(([{ owner }]) => owner === record.owner) ?? [];
    if (!process?.isAlive || process.isStopping || !lease) return;
    if (storage.query('SELECT 1 FROM process WHERE owner = ?', record.owner).length > 0) return;
    const what = `${by.name} took the conversations of ${process.name}`;
    if (scheduler.now - lease.committedAt < leaseMs) violation(`${what}, which had renewed its lease`);
    const afterMs = (readAt.get(record) ?? 0) - outageEndedAt;
    if (afterMs >= 0 && afterMs < leaseMs) violation(`${what} right after an outage of all`);
  };

  const checkPosition = (conversation: string, reply: string): void => {
    const order = shown.get(conversation) ?? [];
    shown.set(conversation, order);
    const last = order.at(-1);
    if (last !== undefined && comparePositions(positionOf(last), positionOf(reply)) > 0)
      violation(`the user saw ${reply} after ${last}`);
    order.push(reply);
  };

  /** The event that a reply answers, by its place in the inbox, then the number of the reply. */
  const positionOf = (reply: string): readonly [number, number] => {
    const [event = '', part = '0'] = reply.split(' > ');
    // A conversation is closed once, at its end.
    if (part === 'close') return [Number.POSITIVE_INFINITY, 0];
    return [jobOf('inbox', event)?.seq ?? 0, Number(part)];
  };

  const concludeInbox = (job: JobRecord, label: string): void => {
    if (job.state === 'done' && !handled.has(label))
      violation(`${label} was removed without having been handled`);
    const isMissing =
      hasHelpdesk && job.type === 'handoff.message' && !read.get(job.conversation)?.includes(label);
    if (job.state === 'done' && isMissing && !dropped.has(job.conversation))
      violation(`the bot never saw ${label}`);
    if (job.state !== 'dead') return;
    if (failures.has(label) && (job.error?.includes(GIVES_UP) || job.error?.includes(PROCESS_ENDED))) return;
    if ((failures.get(label) ?? 0) < maxAttempts)
      violation(
        `${label} is a dead letter after ${failures.get(label) ?? 0} reported failures (${job.error})`,
      );
  };

  const concludeOutbox = (job: JobRecord, label: string): void => {
    const hasArrived = shown.get(conversationOf(label))?.includes(label) ?? false;
    if (job.state === 'done' && !hasArrived) violation(`reply ${label} was removed without having arrived`);
    if (job.state === 'dead' && !refused.has(label))
      violation(`reply ${label} is a dead letter, although it was not refused (${job.error})`);
  };

  return {
    violations,
    violation,
    acknowledged(process, event) {
      if (!jobOf('inbox', event)) violation(`${process.name} answered 200 to ${event}, which is not stored`);
      acknowledged.add(event);
    },
    handlerStarted(process, event) {
      scheduler.trace(process.name, `handler of ${event} starts`);
      const job = jobOf('inbox', event);
      if (!job) violation(`${event} is handled, but was never stored`);
      else if (job.state !== 'waiting')
        violation(`${process.name} starts ${event} again, which is ${job.state}`);
      else checkOwnership(process, job, `${event} is started`);
      const conversation = job?.conversation ?? '';
      for (const other of running) {
        if (other.conversation === conversation && isProtected(other))
          violation(`${process.name} starts ${event} while ${other.process.name} handles ${other.event}`);
      }
      const run: Run = { process, conversation, event, startedAt: scheduler.now };
      running.add(run);
      return (outcome) => {
        if (!running.delete(run)) return;
        scheduler.trace(process.name, `handler of ${event} ${outcome}`);
        if (outcome === 'done') handled.add(event);
      };
    },
    acted(process, event) {
      const job = jobOf('inbox', event);
      if (job?.state !== 'waiting') violation(`${process.name} acts for ${event}, which is ${job?.state}`);
      else checkOwnership(process, job, `${event} is acted for`);
    },
    failureReported(event) {
      failures.set(event, (failures.get(event) ?? 0) + 1);
    },
    replyStored(reply) {
      stored.add(reply);
    },
    reportedDelivered(reply) {
      delivered.add(reply);
    },
    replySent(process, reply) {
      scheduler.trace(process.name, `sends ${reply}`);
      const job = jobOf('outbox', reply);
      if (!job) violation(`${reply} is sent, but was never stored`);
      else if (job.state !== 'waiting')
        violation(`${process.name} sends ${reply} again, which is ${job.state}`);
      else checkOwnership(process, job, `reply ${reply} is sent`);
      const earlier = sends.get(reply) ?? [];
      // A process that lost its lease while it waited for the answer could not record it.
      const gapAt = leases.get(process)?.gapAt ?? Number.NEGATIVE_INFINITY;
      if (earlier.some((send) => send.process === process && send.isSuccess && gapAt < send.startedAt))
        violation(`${process.name} sends ${reply} again, although the platform had confirmed it`);
      const send = { process, startedAt: scheduler.now, isSuccess: false };
      sends.set(reply, [...earlier, send]);
      return (isSuccess) => {
        send.isSuccess = isSuccess;
      };
    },
    replyArrived(reply) {
      const conversation = conversationOf(reply);
      const isRepeat = shown.get(conversation)?.includes(reply) ?? false;
      scheduler.trace('platform', `has ${reply}${isRepeat ? ' again' : ''}`);
      if (!isRepeat) checkPosition(conversation, reply);
      else if (shown.get(conversation)?.at(-1) !== reply)
        violation(`the user saw ${reply} again, after later ones`);
    },
    replyRefused(reply) {
      refused.add(reply);
    },
    messageSent(process, event) {
      scheduler.trace(process.name, `sends ${event} to the helpdesk`);
      const job = jobOf('inbox', event);
      if (!job) violation(`${event} is sent to the helpdesk, but was never stored`);
      else if (job.state !== 'waiting')
        violation(`${process.name} sends ${event} to the helpdesk again, which is ${job.state}`);
      else checkOwnership(process, job, `${event} is sent to the helpdesk`);
    },
    messageArrived(event) {
      const conversation = conversationOf(event);
      const order = read.get(conversation) ?? [];
      read.set(conversation, order);
      if (order.includes(event)) {
        if (order.at(-1) !== event) violation(`the bot saw ${event} again, after later ones`);
        return false;
      }
      const last = order.at(-1);
      if (last !== undefined && (jobOf('inbox', last)?.seq ?? 0) > (jobOf('inbox', event)?.seq ?? 0))
        violation(`the bot saw ${event} after ${last}`);
      order.push(event);
      return true;
    },
    botEventSafe(reply) {
      botEvents.add(reply);
    },
    dropped(name) {
      dropped.add(name);
    },
    leaseRenewed(process, askedAt) {
      const lease = leases.get(process) ?? {
        from: askedAt,
        committedAt: 0,
        gapAt: Number.NEGATIVE_INFINITY,
      };
      if (scheduler.now - lease.from >= leaseMs) lease.gapAt = scheduler.now;
      lease.from = Math.max(lease.from, askedAt);
      lease.committedAt = scheduler.now;
      leases.set(process, lease);
    },
    processRead(record) {
      readAt.set(record, scheduler.now);
    },
    outageEnded() {
      outageEndedAt = scheduler.now;
    },
    committed(commit) {
      const { process, command, miscounted } = commit;
      checkSettled(commit);
      if (command[0] === 'add') checkReply(commit);
      if (command[0] === 'reclaim') checkReclaim(process, command[1] as ProcessRecord);
      for (const conversation of miscounted) violation(`${conversation} has another number of jobs`);
    },
    conclude() {
      const labels = new Map<string, number>();
      for (const job of storage.jobs.values()) {
        const { label } = job;
        labels.set(`${job.queue} ${label}`, (labels.get(`${job.queue} ${label}`) ?? 0) + 1);
        if (job.state === 'waiting') violation(`${label} still waits in the ${job.queue}`);
        else if (job.queue === 'inbox') concludeInbox(job, label);
        else concludeOutbox(job, label);
      }
      for (const [label, count] of labels) if (count > 1) violation(`${label} was stored ${count} times`);
      for (const event of acknowledged) if (!labels.has(`inbox ${event}`)) violation(`${event} was lost`);
      for (const reply of stored) if (!labels.has(`outbox ${reply}`)) violation(`reply ${reply} was lost`);
      for (const reply of delivered) {
        if (!shown.get(conversationOf(reply))?.includes(reply))
          violation(`the receipt of ${reply} says that it was delivered`);
      }
      for (const reply of botEvents) {
        const isVisible = labels.has(`outbox ${reply}`) || dropped.has(reply);
        if (!isVisible) violation(`the bot's ${reply} was lost`);
      }
    },
  };
}

const comparePositions = (one: readonly [number, number], other: readonly [number, number]): number =>
  one[0] === other[0] ? one[1] - other[1] : one[0] - other[0];

const conversationOf = (label: string): string => label.split(' ')[0] ?? '';

/** The time of the first event of every conversation. Events are numbered by their time. */
export const FIRST_EVENT_AT = 1_700_000_000_000;

/** The name of an event: its conversation and its number. */
export const eventLabel = (conversation: string, time: unknown): string =>
  `${conversation} #${Number(time) - FIRST_EVENT_AT}`;

/** The name of an event as the id of its request, so that log lines can be attributed. */
export const requestIdOf = (event: string): string => event.replace(' #', '.').replace('/', ':');
export const eventOfRequest = (requestId: string): string => requestId.replace(':', '/').replace('.', ' #');

/** The error of an event whose process ended too often while it was handled. */
const PROCESS_ENDED = 'the process ended';

/** The error of a handler that gives up for good. */
export const GIVES_UP = 'the handler gives up';

/** The name of a reply: the event it answers, and its number. */
export const replyLabel = (event: string, part: number): string => `${event} > ${part}`;

/** The name of the end of a conversation. */
export const closeLabel = (conversation: string): string => `${conversation} > close`;

/** The name of a stored event or reply. Replies have theirs as their text. */
export function labelOf({ queue, type, content }: Pick<JobRecord, 'queue' | 'type' | 'content'>): string {
  const stored = content as { conversationId: string; body?: Record<string, unknown>; text?: string };
  if (queue === 'outbox') return type === 'close' ? closeLabel(stored.conversationId) : (stored.text ?? '');
  const { timestamp, create_time: createTime } = stored.body ?? {};
  return eventLabel(stored.conversationId, timestamp ?? createTime);
}
