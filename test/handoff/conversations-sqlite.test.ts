import { sqliteEngine } from '../helpers/sqlite-store.js';
import { describeConversations } from './conversations.js';

describeConversations('SQLite', sqliteEngine);
