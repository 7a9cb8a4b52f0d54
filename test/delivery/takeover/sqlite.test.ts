import { describeTakeover } from './contract.js';
import { createSqliteDatabase } from './sqlite-database.js';

describeTakeover('SQLite', createSqliteDatabase);
