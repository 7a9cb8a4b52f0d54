import { z } from 'zod';
import type { Clock } from './clock.js';
import { createEmitter } from './emitter.js';
import { readSettings, SimulatorError } from './error.js';
import type { PLATFORM_PATHS } from './specification.js';

const DELIVERY_EVENTS = ['message', 'establish', 'chat', 'close', 'probe'] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];
export type PlatformEndpoint = keyof typeof PLATFORM_PATHS;

const ENDPOINTS = [
  'addQa',
  'updateQa',
  'checkWebhooks',
  'health',
  'reply',
  'close',
] as const satisfies readonly PlatformEndpoint[];
const limits = { times: z.int().positive().optional(), forMs: z.int().positive().optional() };
const deliveries = {
  ...limits,
  on: z.array(z.enum(DELIVERY_EVENTS)).min(1).default(['message', 'establish', 'chat', 'close']),
};
const answers = (endpoint: PlatformEndpoint) => ({
  ...limits,
  on: z.array(z.enum(ENDPOINTS)).min(1).default([endpoint]),
});

/**
 * Every fault with its `settings` and the page's `fields`. All have `times` (how often it applies), `forMs` (how long it
 * stays on) and `on` (the deliveries or endpoints it applies to). Without a limit, a fault stays on until it is cleared.
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
    hint: "A delivery waits until its conversation's next delivery has been sent.",
    fields: [{ name: 'holdMs', label: 'Wait at most (ms)', value: 5_000 }],
    settings: z.strictObject({ ...deliveries, holdMs: z.int().positive().default(5_000) }),
  },
  delay: {
    title: 'Delay',
    hint: 'Each delivery is delayed.',
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
    hint: 'Each delivery is also sent to a second URL at the same time.',
    fields: [{ name: 'url', label: 'Second URL', value: '' }],
    settings: z.strictObject({
      ...deliveries,
      url: z.url({ protocol: /^https?$/, error: 'expected the http or https URL of the second receiver' }),
    }),
  },
  wrongCredentials: {
    title: 'Wrong credentials',
    hint: 'Deliveries carry wrong credentials.',
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
    hint: 'Replies are never answered: the caller runs into its timeout.',
    fields: [],
    settings: z.strictObject(answers('reply')),
  },
  outOfOrder: {
    title: 'Out of order',
    hint: 'The health endpoint reports that the platform is down.',
    fields: [],
    settings: z.strictObject(answers('health')),
  },
} as const;

export type FaultKind = keyof typeof FAULTS;
export type FaultSettings<Kind extends FaultKind> = z.input<(typeof FAULTS)[Kind]['settings']>;
/** With defaults filled in. */
export type ActiveFault<Kind extends FaultKind = FaultKind> = z.output<(typeof FAULTS)[Kind]['settings']>;

/** Problems that the simulator causes on purpose. */
export interface Faults {
  /**
   * Switches a fault on.
   *
   * @example simulator.faults.set('duplicate', { times: 1, on: ['chat'] })
   */
  set: <Kind extends FaultKind>(kind: Kind, settings?: FaultSettings<Kind>) => void;
  /** Like `set`, with unvalidated settings. */
  setFrom: (kind: FaultKind, settings: unknown) => void;
  /**
   * Switches a fault off; without a name, all of them.
   *
   * @example simulator.faults.clear()
   */
  clear: (kind?: FaultKind) => void;
  /** The active faults, with the remaining `times`. */
  active: () => Partial<Record<FaultKind, ActiveFault>>;
  /** The settings of a fault if it applies to `subject` now; counts against `times`. */
  take: <Kind extends FaultKind>(
    kind: Kind,
    subject: DeliveryEvent | PlatformEndpoint,
  ) => ActiveFault<Kind> | undefined;
  /** Calls the listener on every change. */
  onChange: (listener: () => void) => () => void;
}

const ALL_KINDS = Object.keys(FAULTS).filter(isFaultKind);

export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULTS, text);
}

export function createFaults(clock: Clock): Faults {
  const changed = createEmitter<void>();
  const entries: { [Kind in FaultKind]?: ActiveEntry<Kind> } = {};

  const findActive = <Kind extends FaultKind>(kind: Kind): ActiveEntry<Kind> | undefined => {
    const fault: ActiveEntry<Kind> | undefined = entries[kind];
    if (!fault || (clock.now() < fault.until && fault.left > 0)) return fault;
    delete entries[kind];
    return undefined;
  };

  const setFrom = (kind: FaultKind, settings: unknown) => {
    if (!ALL_KINDS.includes(kind)) {
      throw new SimulatorError(
        'INVALID_FAULT',
        `there is no fault '${kind}'. The faults are ${ALL_KINDS.join(', ')}.`,
      );
    }
    const read = readSettings('INVALID_FAULT', FAULTS[kind].settings, settings, `fault ${kind}: `);
    const until = clock.now() + (read.forMs ?? Number.POSITIVE_INFINITY);
    const left = read.times ?? Number.POSITIVE_INFINITY;
    Object.assign(entries, { [kind]: { settings: read, until, left } });
    changed.emit();
  };

  return {
    set: (kind, settings) => setFrom(kind, settings ?? {}),
    setFrom,
    clear(kind) {
      for (const each of kind ? [kind] : ALL_KINDS) delete entries[each];
      changed.emit();
    },
    active() {
      const found: Partial<Record<FaultKind, ActiveFault>> = {};
      for (const kind of ALL_KINDS) {
        const fault = findActive(kind);
        if (!fault) continue;
        found[kind] = Number.isFinite(fault.left) ? { ...fault.settings, times: fault.left } : fault.settings;
      }
      return found;
    },
    take(kind, subject) {
      const fault = findActive(kind);
      const subjects: readonly string[] = fault?.settings.on ?? [];
      if (!fault || !subjects.includes(subject)) return undefined;
      fault.left -= 1;
      if (Number.isFinite(fault.left)) changed.emit();
      return fault.settings;
    },
    onChange: changed.subscribe,
  };
}

interface ActiveEntry<Kind extends FaultKind> {
  readonly settings: ActiveFault<Kind>;
  readonly until: number;
  left: number;
}
