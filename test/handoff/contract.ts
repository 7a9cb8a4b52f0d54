import { describe } from 'vitest';
import { bridgeState } from './contract/bridge-state.js';
import { changes } from './contract/changes.js';
import { finding } from './contract/finding.js';
import { forgetting } from './contract/forgetting.js';
import { oddText } from './contract/odd-text.js';
import { sharedLifecycle } from './contract/shared-lifecycle.js';
import type { StoreEngine } from './contract/stage.js';

export type { StoreEngine } from './contract/stage.js';

/** The guarantees of every conversation store. */
export function describeHandoffStore(name: string, engine: StoreEngine): void {
  describe(`conversations in ${name}`, () => {
    changes(engine);
    finding(engine);
    bridgeState(engine);
    forgetting(engine);
    oddText(engine);
    sharedLifecycle(engine);
  });
}
