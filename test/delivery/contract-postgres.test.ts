import { postgresEngine } from '../helpers/postgres.js';
import { describeDelivery } from './contract.js';

describeDelivery('PostgreSQL', postgresEngine);
