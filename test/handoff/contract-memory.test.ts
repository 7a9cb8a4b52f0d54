import { createMemoryHandoffStore } from '../../src/handoff/index.js';
import { describeHandoffStore } from './contract.js';

describeHandoffStore('memory', {
  async createPlace() {
    const store = createMemoryHandoffStore();
    return { open: () => store, remove: async () => {} };
  },
});
