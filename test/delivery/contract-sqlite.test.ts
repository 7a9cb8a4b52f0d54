import { sqliteEngine } from '../helpers/sqlite-store.js';
import { describeDelivery } from './contract.js';

describeDelivery('SQLite in the caller’s thread', sqliteEngine);
