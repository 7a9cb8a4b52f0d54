import { type Bridge, startBridge } from '../../src/bridge/create-bridge.js';
import { type BridgeSettings, readOptions } from '../../src/bridge/options.js';
import type { BridgeOptions } from '../../src/public/bridge.js';

/** Options of a bridge, and times that are constants outside of tests. */
export type TimedBridgeOptions = BridgeOptions &
  Partial<Pick<BridgeSettings, 'reconcileEveryMs' | 'giveUpOpeningAfterMs'>>;

/** Creates a bridge with other times. */
export function createTimedBridge(options: TimedBridgeOptions): Bridge {
  const { reconcileEveryMs, giveUpOpeningAfterMs, ...known } = options;
  const settings = readOptions(known);
  return startBridge(known, {
    ...settings,
    reconcileEveryMs: reconcileEveryMs ?? settings.reconcileEveryMs,
    giveUpOpeningAfterMs: giveUpOpeningAfterMs ?? settings.giveUpOpeningAfterMs,
  });
}
