import { describe } from 'vitest';
import { deadItems } from './contract/dead.js';
import { duplicates } from './contract/duplicates.js';
import { forgetting } from './contract/forgetting.js';
import { greeting } from './contract/greeting.js';
import { handling } from './contract/handling.js';
import { once } from './contract/once.js';
import { outages } from './contract/outages.js';
import { postponements } from './contract/postponements.js';
import { refusals } from './contract/refusals.js';
import { replies } from './contract/replies.js';
import { restarts } from './contract/restarts.js';
import { retries } from './contract/retries.js';
import { sharing } from './contract/sharing.js';
import type { Engine } from './contract/stage.js';
import { start } from './contract/start.js';

export type { Engine } from './contract/stage.js';

/** What holds for every engine, and what more holds for those that store. */
export function describeDelivery(name: string, engine: Engine): void {
  describe(`delivery by ${name}`, () => {
    handling(engine);
    postponements(engine);
    if (!engine.stores) return;
    start(engine);
    sharing(engine);
    retries(engine);
    deadItems(engine);
    duplicates(engine);
    restarts(engine);
    replies(engine);
    outages(engine);
    refusals(engine);
    once(engine);
    greeting(engine);
    forgetting(engine);
  });
}
