import { randomUUID } from 'node:crypto';
import type { DeliveryReceiver } from '../../src/delivery/delivery.js';
import type { NewJob, ProcessRecord, Queue, QueueKind } from '../../src/delivery/queue.js';
import { queueOwnerOf } from '../../src/delivery/storage/encoding.js';
import type { StorageEngine } from '../../src/delivery/storage/storage-engine.js';
import type { Delivery } from '../../src/public/index.js';
import { LEASE_MS } from './faults.js';
import type { Mistakes } from './history.js';

/** A known mistake, the way to make it, and the violation that shows it. */
export interface KnownMistake {
  readonly name: string;
  readonly made: Mistakes;
  readonly shows: RegExp;
}

type ChangeQueue = (queue: Queue, sql: StorageEngine['sql']) => Partial<Queue>;

const inQueues =
  (kinds: readonly QueueKind[], change: ChangeQueue) =>
  (engine: StorageEngine): StorageEngine => ({
    ...engine,
    queue(name) {
      const queue = engine.queue(name);
      return kinds.includes(queueOwnerOf(name).queue) ? { ...queue, ...change(queue, engine.sql) } : queue;
    },
  });
const inInbox = (change: ChangeQueue) => inQueues(['inbox'], change);
const inOutbox = (change: ChangeQueue) => inQueues(['outbox'], change);
const inBoth = (change: ChangeQueue) => inQueues(['inbox', 'outbox'], change);

/** Stores another length of the lease. */
const withLease = (leaseMs: number): Mistakes => ({
  settings: (settings) => ({ ...settings, leaseMs }),
  engine: ({ lease, ...engine }) => ({
    ...engine,
    lease: {
      ...lease,
      renew: (options) => lease.renew({ ...options, ...('leaseMs' in options && { leaseMs }) }),
    },
  }),
});

const withReceiver =
  (change: (receiver: DeliveryReceiver) => DeliveryReceiver) =>
  (delivery: Delivery): Delivery => ({
    ...delivery,
    connect: (receiver) => delivery.connect(change(receiver)),
  });

/** Takes from the runs of handlers the check of their claim. */
const withoutClaimCheck = withReceiver((receiver) => ({
  ...receiver,
  // The same object, since a reply takes the claim from it.
  handle: (event, run) =>
    receiver.handle(
      event,
      Object.assign(run, { isClaimed: () => true, ensureClaimed: () => Promise.resolve() }),
    ),
}));

/** A worker that is certain of every claim. */
const withoutLeaseCheck: Mistakes['parts'] = {
  createWorker: (real) => (options) => real({ ...options, isClaimValid: () => true }),
};

/** Takes silence for death without regard to whether this process could have heard anything meanwhile. */
const observingAcrossGaps = ({ lease, ...engine }: StorageEngine): StorageEngine => {
  let heard = new Map<string, { readonly record: ProcessRecord; readonly at: number }>();
  return {
    ...engine,
    lease: {
      ...lease,
      async renew(options) {
        const result = await lease.renew(options);
        const now = performance.now();
        heard = new Map(
          result.others.map((record) => {
            const before = heard.get(record.owner);
            const isSilent = before?.record.renewals === record.renewals;
            return [record.owner, { record, at: isSilent ? before.at : now }] as const;
          }),
        );
        for (const { record, at } of heard.values()) if (now - at >= LEASE_MS) await lease.reclaim(record);
        return result;
      },
    },
  };
};

/** Mistakes that the simulation must find. None of them is a switch in the code: each replaces a part of it. */
export const MISTAKES: readonly KnownMistake[] = [
  {
    name: 'no fencing: a process that lost its claim still completes and releases it',
    made: {
      sql: (text) =>
        text.replaceAll('owner = ? AND claim = ?', '(owner = ? OR TRUE) AND (claim = ? OR TRUE)'),
    },
    shows: /while .* handles|before an earlier one|has not claimed/,
  },
  {
    name: 'the lease is too long: the conversations of a dead process wait',
    made: withLease(1_000_000),
    shows: /still waits/,
  },
  {
    name: 'the conversations of a living process are reclaimed',
    made: {
      engine: ({ lease, ...engine }, process) => ({
        ...engine,
        lease: {
          ...lease,
          async renew(options) {
            const renewed = await lease.renew(options);
            await engine.sql.write('UPDATE head SET owner = NULL, claim = NULL WHERE owner <> $1', [
              process.owner,
            ]);
            return renewed;
          },
        },
      }),
    },
    shows: /while .* handles/,
  },
  {
    name: 'an event is acknowledged before it is committed',
    made: {
      delivery: (delivery) => ({
        ...delivery,
        async accept(event) {
          void delivery.accept(event);
          return 'stored';
        },
      }),
    },
    shows: /not stored|was lost/,
  },
  {
    name: 'the idempotency key of an event is not scoped by its conversation',
    made: { engine: inInbox((inbox) => ({ add: (job, claim) => inbox.add(unscoped(job), claim) })) },
    shows: /not stored|was lost/,
  },
  {
    name: 'repeats of an event are not recognised',
    made: {
      engine: inInbox((inbox) => ({
        add: (job, claim) => inbox.add({ ...job, key: `${job.key} ${randomUUID()}` }, claim),
      })),
    },
    shows: /stored \d times|again/,
  },
  {
    name: 'a lost wake-up is never made up for',
    made: { pollMs: 1_000_000_000 },
    shows: /still waits/,
  },
  {
    name: 'an interruption counts as a failure',
    made: { sql: (text) => text.replaceAll('interruptions = interruptions + 1', 'attempts = attempts + 1') },
    shows: /dead letter after \d reported failures/,
  },
  {
    name: 'the close of a conversation does not wait for the replies before it',
    made: {
      engine: inOutbox((outbox) => ({
        add: (job, claim) =>
          job.type === 'close'
            ? outbox.add({ ...job, conversation: `${job.conversation} close` }, null)
            : outbox.add(job, claim),
      })),
    },
    shows: /the user saw/,
  },
  {
    name: 'a process handles stored events before its handlers are registered',
    made: {
      delivery: withReceiver((receiver) => {
        let isRegistered = false;
        setTimeout(() => {
          isRegistered = true;
        }, 300);
        return {
          ...receiver,
          handles: () => true,
          handle: async (event, run) => (isRegistered ? receiver.handle(event, run) : undefined),
        };
      }),
    },
    shows: /removed without having been handled/,
  },
  {
    name: 'a claim whose answer was lost is never given up',
    made: { engine: inInbox(() => ({ releaseUnused: () => Promise.resolve() })) },
    shows: /still waits/,
  },
  {
    name: 'what a bot writes before the ticket is linked is taken for another conversation of the helpdesk',
    made: { sql: (text) => text.replaceAll('link IS NULL', 'link IS NULL AND FALSE') },
    shows: /the bot's .* was lost/,
  },
  {
    name: 'runs of handlers are not fenced: one that was given up still acts, and sends to the helpdesk',
    made: {
      delivery: withReceiver((receiver) => ({
        ...receiver,
        handle: (event, { attempt }) =>
          receiver.handle(event, { attempt, signal: new AbortController().signal }),
      })),
    },
    shows: /acted for by|acts for|sent to the helpdesk by|to the helpdesk again/,
  },
  {
    name: 'the first handler of an event is called without checking the claim after a pause',
    made: { delivery: withoutClaimCheck },
    shows: /is started by|starts .* again/,
  },
  // Handlers are not called all the same, since their run checks the claim once more. It shows in other ways: the worker
  // claims and begins without a lease, and the check that then asks the storage fails without a report.
  {
    name: 'a worker starts what it has claimed, although its lease has run out since',
    made: { parts: withoutLeaseCheck },
    shows: /./,
  },
  {
    name: 'neither the worker nor the run of the handlers checks the claim',
    made: { parts: withoutLeaseCheck, delivery: withoutClaimCheck },
    shows: /is started by|starts .* again/,
  },
  {
    name: 'a reply is sent after a pause, although another process has reclaimed it (maySend)',
    made: {
      client: (client) => ({
        ...client,
        reply: (message, options) => client.reply(message, { ...options, maySend: undefined }),
        end: (message, options) => client.end(message, { ...options, maySend: undefined }),
      }),
    },
    shows: /is sent by|sends .* again/,
  },
  {
    name: 'the reply of a handler does not name its claim (onBehalfOf)',
    made: {
      engine: inOutbox((outbox) => ({
        add: ({ onBehalfOf: _claim, ...job }, claim) => outbox.add(job, claim),
      })),
    },
    shows: /stored .* although it had lost the claim/,
  },
  {
    name: 'to complete a job whose claim was lost removes it all the same',
    made: {
      engine: inBoth((queue, sql) => ({
        async complete(job) {
          const result = await queue.complete(job);
          if (result === 'lost') await sql.write('DELETE FROM job WHERE seq = $1', [Number(job.id)]);
          return result;
        },
      })),
    },
    shows: /whose claim it had lost|another number of jobs/,
  },
  // Every failure, not the last one alone: this writes later than the real mistake would, when the other process has mostly
  // finished the job.
  {
    name: 'the failure of a job whose claim was lost counts all the same, up to a dead letter',
    made: {
      engine: inBoth((queue, sql) => ({
        async fail(job, failure) {
          const result = await queue.fail(job, failure);
          const state = failure.retryInMs === null ? 'dead' : 'waiting';
          if (result === 'lost')
            await sql.write('UPDATE job SET state = $1, attempts = attempts + 1 WHERE seq = $2', [
              state,
              Number(job.id),
            ]);
          return result;
        },
      })),
    },
    shows: /whose claim it had lost|another number of jobs/,
  },
  {
    name: 'a process that could not read for a while takes the others for dead',
    made: { engine: observingAcrossGaps },
    shows: /right after an outage of all/,
  },
  // A renewal has two signs of a lost lease: too much time has passed, or its row was gone. Where clocks are right, one of
  // them is enough unless an answer gets lost, so that neither is found alone. This removes both.
  {
    name: 'a process does not notice that its lease had run out before it was renewed (lostUpTo)',
    made: {
      parts: { startLeaseRenewal: (real) => (options) => real({ ...options, lastClaim: () => 0 }) },
    },
    shows: /is started by|is sent|is acted for|acts for|again/,
  },
  {
    name: 'a process is reclaimed, although it has renewed its lease since it was read',
    made: { sql: (text) => text.replace('WHERE owner = ? AND renewals = ?', 'WHERE owner = ? AND ? >= 0') },
    shows: /which had renewed its lease/,
  },
  {
    name: "the idempotency key of an event lacks the bot's name",
    made: {
      engine: inInbox((inbox) => ({
        add: (job, claim) => inbox.add({ ...job, key: job.key.replace(/^sales\//, '') }, claim),
      })),
    },
    shows: /not stored|was lost/,
  },
  {
    name: 'the lease is renewed too rarely',
    made: {
      engine: ({ lease, ...engine }) => ({
        ...engine,
        lease: {
          ...lease,
          async renew(options) {
            if (options.renewals > 1) await new Promise((resolve) => setTimeout(resolve, 1.5 * LEASE_MS));
            return lease.renew(options);
          },
        },
      }),
    },
    shows: /./,
  },
  {
    name: 'a claim is made regardless of the owner of the conversation',
    made: {
      sql: (text) => text.replace('owner IS NULL AND jobs > 0 AND due_at <= ?', 'jobs > 0 AND due_at <= ?'),
    },
    shows: /while .* handles/,
  },
  {
    name: 'an event that failed is tried again behind later ones',
    made: { sql: (text) => text.replace('ORDER BY seq LIMIT 1', 'ORDER BY attempts, seq LIMIT 1') },
    shows: /before an earlier one/,
  },
];

/** The key without the conversation. */
const unscoped = (job: NewJob): NewJob => ({ ...job, key: job.key.split(job.conversation).join('') });
