import { postgresEngine } from '../helpers/postgres.js';
import { describeHandoffStore } from './contract.js';
import { storesOf } from './stores-of.js';

describeHandoffStore('PostgreSQL', storesOf(postgresEngine));
