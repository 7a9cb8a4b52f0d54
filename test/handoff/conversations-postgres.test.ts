import { postgresEngine } from '../helpers/postgres.js';
import { describeConversations } from './conversations.js';

describeConversations('PostgreSQL', postgresEngine);
