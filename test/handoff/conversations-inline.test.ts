import { inline } from '../../src/public/index.js';
import { describeConversations } from './conversations.js';

describeConversations('nothing but memory', {
  stores: false,
  createStore: async () => ({ open: () => inline(), remove: async () => {} }),
});
