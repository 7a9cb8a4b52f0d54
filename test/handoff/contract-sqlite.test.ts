import { sqliteEngine } from '../helpers/sqlite-store.js';
import { describeHandoffStore } from './contract.js';
import { storesOf } from './stores-of.js';

describeHandoffStore('SQLite', storesOf(sqliteEngine));
