import { randomUUID } from 'node:crypto';
import type { DeliveryHost } from '../../src/delivery/delivery.js';
import type { NewJob, Queue } from '../../src/delivery/queue.js';
import type { StorageEngine } from '../../src/delivery/storage/storage-engine.js';
import type { Delivery } from '../../src/public/index.js';
import type { Mistakes } from './history.js';

/** A known mistake, the way to make it, and the violation that shows it. */
export interface KnownMistake {
  readonly name: string;
  readonly made: Mistakes;
  readonly shows: RegExp;
  /** The seed of the first history to try, where only rare ones show it. Default 1. */
  readonly from?: number;
}

const changed = (queue: Queue, change: ((queue: Queue) => Partial<Queue>) | null): Queue => ({
  ...queue,
  ...change?.(queue),
});

const inInbox =
  (change: (inbox: Queue) => Partial<Queue>) =>
  (engine: StorageEngine): StorageEngine => ({
    ...engine,
    queue: (name) => changed(engine.queue(name), name === 'inbox' ? change : null),
  });

const inOutbox =
  (change: (outbox: Queue) => Partial<Queue>) =>
  (engine: StorageEngine): StorageEngine => ({
    ...engine,
    queue: (name) => changed(engine.queue(name), name === 'outbox' ? change : null),
  });

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

const withHost =
  (change: (host: DeliveryHost) => DeliveryHost) =>
  (delivery: Delivery): Delivery => ({ ...delivery, connect: (host) => delivery.connect(change(host)) });

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
      delivery: withHost((host) => {
        let isRegistered = false;
        setTimeout(() => {
          isRegistered = true;
        }, 300);
        return {
          ...host,
          handles: () => true,
          handle: async (event, run) => (isRegistered ? host.handle(event, run) : undefined),
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
    name: 'a bridge without fencing: a handler that was given up still sends to the helpdesk',
    made: {
      delivery: withHost((host) => ({
        ...host,
        handle: (event, { attempt }) => host.handle(event, { attempt, signal: new AbortController().signal }),
      })),
    },
    shows: /sent to the helpdesk by|to the helpdesk again/,
    // Calls to the helpdesk check the claim, too, so that few histories show it.
    from: 2_000,
  },
];

/** The key without the conversation. */
const unscoped = (job: NewJob): NewJob => ({ ...job, key: job.key.split(job.conversation).join('') });
