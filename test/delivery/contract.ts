import { describe } from 'vitest';
import { bots } from './contract/bots.js';
import { deadLetters } from './contract/dead.js';
import { duplicates } from './contract/duplicates.js';
import { fencing } from './contract/fencing.js';
import { forgetting } from './contract/forgetting.js';
import { greeting } from './contract/greeting.js';
import { handling } from './contract/handling.js';
import { middleware } from './contract/middleware.js';
import { names } from './contract/names.js';
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
import { unreadable } from './contract/unreadable.js';

export type { Engine } from './contract/stage.js';

/** The guarantees of every delivery, and the additional guarantees of stored deliveries. */
export function describeDelivery(name: string, engine: Engine): void {
  describe(`delivery by ${name}`, () => {
    handling(engine);
    postponements(engine);
    if (!engine.stores) return;
    start(engine);
    sharing(engine);
    names(engine);
    bots(engine);
    retries(engine);
    middleware(engine);
    deadLetters(engine);
    duplicates(engine);
    restarts(engine);
    replies(engine);
    outages(engine);
    refusals(engine);
    once(engine);
    fencing(engine);
    greeting(engine);
    forgetting(engine);
    unreadable(engine);
  });
}
