import { postgresEngine } from '../helpers/postgres.js';
import { sqliteEngine } from '../helpers/sqlite-store.js';
import { describeRetention } from './retention.js';

describeRetention('SQLite', sqliteEngine);
describeRetention('PostgreSQL', postgresEngine);
