import { describe, onTestFinished } from 'vitest';
import { postgres } from '../../../src/delivery/postgres/index.js';
import { createReceiver, noAuth, type Receiver } from '../../../src/index.js';
import { type PostgresStore, postgresStore } from '../../helpers/postgres.js';
import { describeShelf } from './contract.js';

/** As a receiver has it: what others write is heard by LISTEN. */
function receiverOn({ connectionString, schema }: PostgresStore): Receiver {
  const delivery = postgres({ connectionString, schema, pool: { max: 4 } });
  const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, delivery, log: false });
  onTestFinished(async () => void (await receiver.close()));
  return receiver;
}

describe('a shelf in PostgreSQL', () => {
  describeShelf(async () => {
    const store = await postgresStore();
    const shelves = [receiverOn(store), receiverOn(store)].map(({ storage }) => storage.shelf);
    // Both listen once they are connected.
    for (const shelf of shelves) await shelf.head();
    const [here, there] = shelves;
    if (!here || !there) throw new Error('two shelves were opened');
    return [here, there];
  });
});
