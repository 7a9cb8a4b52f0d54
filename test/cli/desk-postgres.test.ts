import { describe, onTestFinished } from 'vitest';
import { createPostgresStore } from '../helpers/postgres.js';
import { managesAgents } from './desk-agents.js';

/** A new database of the server that the tests share: the desk has its tables in no schema of its own. */
async function newDatabase(): Promise<string> {
  const store = await createPostgresStore();
  const { connectionString, schema: name } = store;
  await store.query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => void (await store.query(`DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}

describe('the commands of the desk', () => managesAgents('PostgreSQL', newDatabase));
