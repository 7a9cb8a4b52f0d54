import { describeTakeoverAtLength } from './contract.js';
import { createSqliteDatabase } from './sqlite-database.js';

describeTakeoverAtLength('SQLite', createSqliteDatabase);
