import { type Bridge, type BridgeOptions, createBridge } from '../../bridge/index.js';
import type { Log } from '../../logging/index.js';
import type { Receiver } from '../../receiver/index.js';
import type { Settings } from '../settings-schema.js';
import { ADAPTER_CATALOG, ADAPTER_NAMES } from './catalog.js';

/** Connects the receiver with the adapter that the settings name; `null` where they name none. */
export function connectAdapter(settings: Settings, receiver: Receiver, log: Log): Bridge | null {
  const name = ADAPTER_NAMES.find((each) => each === settings.adapter);
  if (!name) return null;
  const adapter = ADAPTER_CATALOG[name].make(settings);
  return createBridge({ ...bridgeOptions(settings), receiver, adapter, log });
}

/** How the settings want conversations to be carried. */
export function bridgeOptions({
  agentNames,
  businessHours,
  outsideHours,
  unavailable,
}: Settings): Omit<BridgeOptions, 'receiver' | 'adapter'> {
  return {
    agentNames,
    ...(businessHours && { hours: businessHours }),
    ...(outsideHours !== undefined && { whenClosed: 'say' as const }),
    ...(unavailable !== undefined && { whenUnopened: 'apologise' as const }),
    messages: {
      ...(outsideHours !== undefined && { outsideHours }),
      ...(unavailable !== undefined && { unavailable }),
    },
  };
}
