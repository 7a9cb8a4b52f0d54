import { createMemoryStore } from '../../src/handoff/index.js';
import { describeHandoffStore } from './contract.js';

describeHandoffStore('memory', {
  async createPlace() {
    const store = createMemoryStore();
    return { open: () => store, remove: async () => {} };
  },
});
