import { onTestFinished, vi } from 'vitest';
import { engineOn, postgresStore } from '../../helpers/postgres.js';
import { describeClock } from './contract.js';

/** The server's clock cannot be set, so a function of the same name precedes it in the search path. */
describeClock('PostgreSQL', async () => {
  const store = await postgresStore();
  const { connectionString, schema } = store;
  await store.query(`CREATE SCHEMA ${schema}`);
  await store.query(`CREATE TABLE ${schema}.clock AS SELECT interval '0' AS shift`);
  await store.query(`CREATE FUNCTION ${schema}.statement_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
    AS 'SELECT pg_catalog.statement_timestamp() + shift FROM ${schema}.clock'`);
  const url = new URL(connectionString);
  url.searchParams.set('options', `-c search_path=${schema},pg_catalog`);

  const { now } = Date;
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  return {
    ...engineOn({ connectionString: url.href, schema }, { leaseMs: 60_000, pollMs: 50, pool: { max: 5 } }),
    async setClock(shiftMs) {
      clock.mockImplementation(() => now() + shiftMs);
      await store.query(`UPDATE ${schema}.clock SET shift = $1::bigint * interval '1 millisecond'`, [
        shiftMs,
      ]);
    },
  };
});
