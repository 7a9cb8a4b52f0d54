import type { DeliveredEventName } from '../../src/events/index.js';
import {
  type Delivery,
  type HandlerContext,
  Postponed,
  type Receiver,
  Unrecoverable,
} from '../../src/public/index.js';
import { DANGER } from './faults.js';
import type { Random } from './random.js';
import type { Scheduler, SimulatedProcess } from './scheduler.js';
import { eventLabel, GIVES_UP, replyLabel, type Witness } from './witness.js';

/** What the handler of an event does, the same each time it runs. */
interface Behaviour {
  readonly workMs: number;
  readonly replies: number;
  /** How often it fails, postpones or hangs before it succeeds. */
  readonly failures: number;
  readonly postponements: number;
  readonly hangs: number;
  /** Whether it gives up for good. */
  readonly givesUp: boolean;
  readonly waitsForDelivery: boolean;
  readonly ends: boolean;
}

/** The application's part of a history: how each event is handled, in whichever process. */
export interface Application {
  /** Registers the handlers. */
  register(receiver: Receiver, process: SimulatedProcess): void;
}

/** The longest that a step of a handler takes. */
const LONGEST_WORK_MS = 250;

/** Creates an {@link Application}. `endsAt`: the number of the event whose handler ends its conversation. */
export function createApplication(
  scheduler: Scheduler,
  random: Random,
  witness: Witness,
  {
    troubles,
    endsAt,
  }: { readonly troubles: number; readonly endsAt: (conversation: string) => number | null },
): Application {
  const runs = new Map<string, number>();

  const behaviourOf = (event: string, conversation: string, number: number): Behaviour => {
    const own = random.fork(event);
    const trouble = own.chance(troubles)
      ? own.pick(['failures', 'postponements', 'hangs', 'always', 'gives up', 'gives up'] as const)
      : null;
    return {
      workMs: own.chance(0.2) ? 0 : own.between(1, LONGEST_WORK_MS),
      replies: own.pick([0, 1, 1, 2]),
      failures:
        trouble === 'failures' ? own.whole(1, 2) : trouble === 'always' ? Number.POSITIVE_INFINITY : 0,
      postponements: trouble === 'postponements' ? own.whole(1, 3) : 0,
      hangs: trouble === 'hangs' ? 1 : 0,
      givesUp: trouble === 'gives up',
      waitsForDelivery: own.chance(0.2),
      ends: endsAt(conversation) === number,
    };
  };

  const work = (ms: number, process: SimulatedProcess, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (ms === 0) return resolve();
      signal.addEventListener('abort', () => reject(signal.reason));
      if (ms !== Number.POSITIVE_INFINITY) scheduler.schedule(process, ms, '', resolve, DANGER);
    });

  /** Fails, postpones or hangs, if this is the run for it. */
  const misbehave = async (
    event: string,
    behaviour: Behaviour,
    process: SimulatedProcess,
    signal: AbortSignal,
  ): Promise<void> => {
    const run = (runs.get(event) ?? 0) + 1;
    runs.set(event, run);
    if (run <= behaviour.hangs) await work(Number.POSITIVE_INFINITY, process, signal);
    if (run <= behaviour.postponements) throw new Postponed('not now', { retryAfterMs: 100 });
    // Its replies made sure of the claim: it may be lost between them and the failure.
    if (behaviour.givesUp || run <= behaviour.failures) await work(behaviour.workMs, process, signal);
    if (behaviour.givesUp) throw new Unrecoverable(GIVES_UP);
    if (run <= behaviour.failures) throw new Error('the handler fails');
  };

  return {
    register(receiver, process) {
      const handle = async (context: HandlerContext<DeliveredEventName>): Promise<void> => {
        const { conversationId, sentAt, signal } = context;
        const number = Number(eventLabel('', sentAt?.getTime()).slice(2));
        const event = eventLabel(conversationId, sentAt?.getTime());
        const behaviour = behaviourOf(event, conversationId, number);
        const ended = witness.handlerStarted(process, event);
        signal.addEventListener('abort', () => ended('failed'));
        try {
          // Twice, since after a pause the first is over before the lease is renewed.
          await work(behaviour.workMs, process, signal);
          await work(behaviour.workMs, process, signal);
          await context.ensureClaimed();
          witness.acted(process, event);
          await work(behaviour.workMs, process, signal);
          if ('reply' in context) {
            for (let part = 1; part <= behaviour.replies; part += 1) {
              const reply = replyLabel(event, part);
              const receipt = await context.reply(reply);
              witness.replyStored(reply);
              signal.throwIfAborted();
              if (behaviour.waitsForDelivery)
                await receipt.delivered().then(
                  () => witness.reportedDelivered(reply),
                  () => undefined,
                );
              signal.throwIfAborted();
            }
          }
          await misbehave(event, behaviour, process, signal);
          if ('end' in context && behaviour.ends) await context.end();
          ended('done');
        } catch (error) {
          ended(error instanceof Postponed ? 'postponed' : 'failed');
          throw error;
        }
      };
      receiver
        .on('message', handle)
        .on('handoff.requested', handle)
        .on('handoff.message', handle)
        .on('handoff.closed', handle);
    },
  };
}

/** Watches the handlers of a receiver, where they are not those of an {@link Application}. */
export function watchHandlers(delivery: Delivery, process: SimulatedProcess, witness: Witness): Delivery {
  return {
    ...delivery,
    connect: (host) =>
      delivery.connect({
        ...host,
        handle(event, run) {
          const sentAt = event.name === 'message' ? event.body.create_time : event.body.timestamp;
          const ended = witness.handlerStarted(process, eventLabel(event.conversationId, sentAt));
          // A run that was given up may go on for a while, but must have no effect any more.
          run.signal.addEventListener('abort', () => ended('failed'));
          const handling = host.handle(event, run);
          handling.then(
            () => ended('done'),
            (error: unknown) => ended(error instanceof Postponed ? 'postponed' : 'failed'),
          );
          return handling;
        },
      }),
  };
}
