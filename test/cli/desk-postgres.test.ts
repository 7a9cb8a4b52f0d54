import { describe, onTestFinished } from 'vitest';
import { createPostgresStore } from '../helpers/postgres.js';
import { managesAgents } from './desk-agents.js';

/** A new database of the server that the tests share: the desk has its tables in no schema of its own. */
async function newDatabase(): Promise<string> {
  const { connectionString, schema: name, query } = await createPostgresStore();
  await query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => void (await query(`DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}

describe('the commands of the desk', () => managesAgents('PostgreSQL', newDatabase));
