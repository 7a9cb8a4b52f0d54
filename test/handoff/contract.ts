import { describe } from 'vitest';
import { changes } from './contract/changes.js';
import { finding } from './contract/finding.js';
import { forgetting } from './contract/forgetting.js';
import { lives } from './contract/lives.js';
import { oddText } from './contract/odd-text.js';
import { remembering } from './contract/remembering.js';
import type { StoreEngine } from './contract/stage.js';

export type { StoreEngine } from './contract/stage.js';

/** What holds for every store of conversations. */
export function describeHandoffStore(name: string, engine: StoreEngine): void {
  describe(`conversations in ${name}`, () => {
    changes(engine);
    finding(engine);
    remembering(engine);
    forgetting(engine);
    oddText(engine);
    lives(engine);
  });
}
