import { threadedEngine } from '../helpers/sqlite-store.js';
import { describeDelivery } from './contract.js';

describeDelivery('SQLite in a thread', threadedEngine);
