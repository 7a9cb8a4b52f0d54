import type { BridgeStats } from '../../bridge/index.js';
import type { Metric } from './exposition.js';

const HELP =
  'What passed between users and the human-service system since the start, by what: dropped are echoes, notes and repeats, forged are webhooks with a wrong signature.';

/** What a bridge has counted. */
export function adapterMetrics(adapter: string, stats: BridgeStats): Metric[] {
  const samples = Object.entries(stats).map(([what, value]: [string, number]) => ({
    labels: { adapter, what: inSnakeCase(what) },
    value,
  }));
  return [{ name: 'handoff_kit_adapter_total', help: HELP, type: 'counter', samples }];
}

const inSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
