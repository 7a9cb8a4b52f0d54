import type { HandoffStore } from '../../src/handoff/index.js';
import type { Delivery } from '../../src/public/index.js';
import type { Engine } from '../delivery/contract.js';
import type { StoreEngine } from './contract.js';

/** The stores of an engine's deliveries. */
export function storesOf(engine: Engine): StoreEngine {
  return {
    async createPlace() {
      const store = await engine.createStore();
      const opened = [await store.open({}), await store.open({})];
      const unused = [...opened];
      return {
        open: () => handoffsOf(unused.shift()),
        async remove() {
          await Promise.all(opened.map((delivery) => delivery.stop({ timeoutMs: 1 })));
          await store.remove();
        },
      };
    },
  };
}

/** The conversations of a delivery that stores. */
export function handoffsOf(delivery: Delivery | undefined): HandoffStore {
  if (!delivery?.handoffs) throw new Error('this engine stores nothing');
  return delivery.handoffs;
}
