import { inline } from '../../src/public/index.js';
import { describeDelivery } from './contract.js';

describeDelivery('the inline engine', {
  stores: false,
  createStore: async () => ({
    open: ({ handlerTimeoutMs = 20_000, rememberMs = 600_000 }) => inline({ handlerTimeoutMs, rememberMs }),
    remove: async () => {},
  }),
});
