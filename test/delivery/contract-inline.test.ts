import { inline } from '../../src/index.js';
import { describeDelivery } from './contract.js';

describeDelivery('nothing but memory', {
  stores: false,
  createStore: async () => ({
    open: ({ handlerTimeoutMs = 20_000, rememberMs = 600_000 }) => inline({ handlerTimeoutMs, rememberMs }),
    remove: async () => {},
  }),
});
