import type { TestProject } from 'vitest/node';
import { startServer } from './postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the tests' database is. */
    postgresUrl: string;
  }
}

/** One server for all tests that need one, before the first of them; each has a schema of its own in it. */
export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.DATABASE_URL;
  if (given?.startsWith('postgres')) {
    provide('postgresUrl', given);
    return undefined;
  }
  const server = await startServer();
  provide('postgresUrl', server.connectionString);
  return () => server.remove();
}
