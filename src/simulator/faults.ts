import { z } from 'zod';
import { type SERVICE_PATHS, ValidationError, validate } from '../protocol/index.js';
import type { Clock } from './clock.js';
import { createEmitter } from './emitter.js';
import { SimulatorError } from './error.js';

/** What the simulator delivers to a developer. */
const DELIVERY_EVENTS = ['message', 'establish', 'chat', 'close', 'probe'] as const;
/** What the simulator delivers to a developer. */
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];
/** What the simulator hosts. */
export type ServiceEndpoint = keyof typeof SERVICE_PATHS;

const ENDPOINTS = [
  'addQa',
  'updateQa',
  'checkWebhooks',
  'health',
  'reply',
  'close',
] as const satisfies readonly ServiceEndpoint[];
const limits = { times: z.int().positive().optional(), forMs: z.int().positive().optional() };
const deliveries = {
  ...limits,
  on: z.array(z.enum(DELIVERY_EVENTS)).min(1).default(['message', 'establish', 'chat', 'close']),
};
const answers = (endpoint: ServiceEndpoint) => ({
  ...limits,
  on: z.array(z.enum(ENDPOINTS)).min(1).default([endpoint]),
});

/**
 * Every fault: what it does, what can be set (`settings`) and what of that the page offers (`fields`). All have `times` (how often it strikes), `forMs` (how
 * long it lasts) and `on` (which deliveries or endpoints it strikes); without a limit it lasts until cleared.
 */
export const FAULTS = {
  duplicate: {
    title: 'Duplicate',
    hint: 'Each delivery is sent again, byte for byte.',
    fields: [{ name: 'copies', label: 'Copies', value: 2 }],
    settings: z.strictObject({ ...deliveries, copies: z.int().min(2).max(10).default(2) }),
  },
  reorder: {
    title: 'Reorder',
    hint: 'A delivery waits until the next one of its conversation was sent.',
    fields: [{ name: 'holdMs', label: 'Wait at most (ms)', value: 5_000 }],
    settings: z.strictObject({ ...deliveries, holdMs: z.int().positive().default(5_000) }),
  },
  delay: {
    title: 'Delay',
    hint: 'Each delivery is held back for a while.',
    fields: [{ name: 'delayMs', label: 'Milliseconds', value: 2_000 }],
    settings: z.strictObject({ ...deliveries, delayMs: z.int().positive().default(2_000) }),
  },
  drop: {
    title: 'Drop the connection',
    hint: 'The connection breaks in the middle of the body, or before the answer is read.',
    fields: [],
    settings: z.strictObject({
      ...deliveries,
      at: z.enum(['body', 'answer']).default('body'),
      resend: z.boolean().default(false),
    }),
  },
  mirror: {
    title: 'Two URLs at once',
    hint: 'Each delivery also goes to a second URL at the same moment.',
    fields: [{ name: 'url', label: 'Second URL', value: '' }],
    settings: z.strictObject({
      ...deliveries,
      url: z.url({ protocol: /^https?$/, error: 'expected the http or https URL of the second receiver' }),
    }),
  },
  wrongCredentials: {
    title: 'Wrong credentials',
    hint: 'Deliveries carry credentials that are not the configured ones.',
    fields: [],
    settings: z.strictObject(deliveries),
  },
  answerError: {
    title: 'Answer 500',
    hint: 'Replies are answered with an internal error.',
    fields: [],
    settings: z.strictObject(answers('reply')),
  },
  answerThrottle: {
    title: 'Answer 429',
    hint: 'Replies are answered with "too many requests" and Retry-After.',
    fields: [{ name: 'retryAfterSeconds', label: 'Retry after (s)', value: 1 }],
    settings: z.strictObject({
      ...answers('reply'),
      retryAfterSeconds: z.int().nonnegative().default(1),
    }),
  },
  answerNothing: {
    title: 'Answer nothing',
    hint: 'Replies are never answered: the caller waits until it gives up.',
    fields: [],
    settings: z.strictObject(answers('reply')),
  },
  outOfOrder: {
    title: 'Out of order',
    hint: 'The health endpoint says that the service does not work.',
    fields: [],
    settings: z.strictObject(answers('health')),
  },
} as const;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULTS;
/** What can be set of a fault. */
export type FaultSettings<Kind extends FaultKind> = z.input<(typeof FAULTS)[Kind]['settings']>;
/** A fault's settings with the defaults filled in. */
export type ActiveFault<Kind extends FaultKind = FaultKind> = z.output<(typeof FAULTS)[Kind]['settings']>;

/** What goes wrong on purpose. */
export interface Faults {
  /** Switches a fault on. `faults.set('duplicate', { times: 1, on: ['chat'] })` */
  set: <Kind extends FaultKind>(kind: Kind, settings?: FaultSettings<Kind>) => void;
  /** The same with settings that nobody has looked at yet. */
  setFrom: (kind: FaultKind, settings: unknown) => void;
  /** Switches a fault off; without a name, all of them. */
  clear: (kind?: FaultKind) => void;
  /** The faults that are on, with what is left of `times`. */
  active: () => Partial<Record<FaultKind, ActiveFault>>;
  /** Whether a fault strikes now; a strike counts against `times`. */
  take: <Kind extends FaultKind>(
    kind: Kind,
    subject: DeliveryEvent | ServiceEndpoint,
  ) => ActiveFault<Kind> | undefined;
  /** Tells of every change. */
  onChange: (listener: () => void) => () => void;
}

const ALL_KINDS = Object.keys(FAULTS).filter(isFaultKind);

/** Whether a text names a fault. */
export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULTS, text);
}

/** Makes the switchboard of faults, all off. */
export function createFaults(clock: Clock): Faults {
  const changed = createEmitter<void>();
  const switched: { [Kind in FaultKind]?: Switched<Kind> } = {};

  const alive = <Kind extends FaultKind>(kind: Kind): Switched<Kind> | undefined => {
    const fault: Switched<Kind> | undefined = switched[kind];
    if (!fault || (clock.now() < fault.until && fault.left > 0)) return fault;
    delete switched[kind];
    return undefined;
  };

  const setFrom = (kind: FaultKind, settings: unknown) => {
    const read = readSettings(kind, settings);
    const until = clock.now() + (read.forMs ?? Number.POSITIVE_INFINITY);
    const left = read.times ?? Number.POSITIVE_INFINITY;
    Object.assign(switched, { [kind]: { settings: read, until, left } });
    changed.emit();
  };

  return {
    set: (kind, settings) => setFrom(kind, settings ?? {}),
    setFrom,
    clear(kind) {
      for (const each of kind ? [kind] : ALL_KINDS) delete switched[each];
      changed.emit();
    },
    active() {
      const found: Partial<Record<FaultKind, ActiveFault>> = {};
      for (const kind of ALL_KINDS) {
        const fault = alive(kind);
        if (!fault) continue;
        found[kind] = Number.isFinite(fault.left) ? { ...fault.settings, times: fault.left } : fault.settings;
      }
      return found;
    },
    take(kind, subject) {
      const fault = alive(kind);
      const subjects: readonly string[] = fault?.settings.on ?? [];
      if (!fault || !subjects.includes(subject)) return undefined;
      fault.left -= 1;
      if (Number.isFinite(fault.left)) changed.emit();
      return fault.settings;
    },
    onChange: changed.subscribe,
  };
}

interface Switched<Kind extends FaultKind> {
  readonly settings: ActiveFault<Kind>;
  readonly until: number;
  left: number;
}

function readSettings(kind: FaultKind, settings: unknown): ActiveFault {
  try {
    return validate(FAULTS[kind].settings, settings);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new SimulatorError('INVALID_FAULT', `fault ${kind}: ${error.message}`, { cause: error });
  }
}
