import type { Labels, Metric, Sample } from './exposition.js';

/** Sums numbers up, apart for each set of labels. */
export interface Counter {
  /** Adds to the sum, 1 unless told otherwise. */
  add(labels: Labels, amount?: number): void;
  /** The sums so far. */
  samples(suffix?: Sample['suffix']): Sample[];
  readonly metric: () => Metric;
}

/** Makes a {@link Counter}. Labels are given in the same order each time. */
export function createCounter(name: string, help: string): Counter {
  const sums = new Map<string, { readonly labels: Labels; value: number }>();
  const samples = (suffix?: Sample['suffix']): Sample[] =>
    [...sums.values()].map(({ labels, value }) => ({ labels, value, ...(suffix && { suffix }) }));
  return {
    add(labels, amount = 1) {
      const key = Object.values(labels).join(' ');
      const sum = sums.get(key);
      if (sum) sum.value += amount;
      else sums.set(key, { labels, value: amount });
    },
    samples,
    metric: () => ({ name, help, type: 'counter', samples: samples() }),
  };
}

/** Notes how long things take: how many there were, and how long they took together. */
export interface Stopwatch {
  note(labels: Labels, seconds: number): void;
  readonly metric: () => Metric;
}

/** Makes a {@link Stopwatch}. */
export function createStopwatch(name: string, help: string): Stopwatch {
  const count = createCounter(name, help);
  const sum = createCounter(name, help);
  return {
    note(labels, seconds) {
      count.add(labels);
      sum.add(labels, seconds);
    },
    metric: () => ({
      name,
      help,
      type: 'summary',
      samples: [...sum.samples('_sum'), ...count.samples('_count')],
    }),
  };
}
