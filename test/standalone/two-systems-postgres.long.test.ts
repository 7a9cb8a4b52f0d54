import { describe, onTestFinished } from 'vitest';
import { startServer } from '../helpers/postgres-server.js';
import { carriesTwoSystems } from './two-systems.js';

describe('the program with two systems, on PostgreSQL', () =>
  carriesTwoSystems(async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    return server.connectionString;
  }));
