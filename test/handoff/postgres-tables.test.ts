import { onTestFinished } from 'vitest';
import { createPostgresEngine } from '../../src/delivery/postgres/postgres.js';
import { createPostgresQueue } from '../../src/delivery/postgres/queue.js';
import type { SqlValue } from '../../src/delivery/storage/sql.js';
import { postgresStore } from '../helpers/postgres.js';
import { describeTables } from './tables.js';

describeTables('PostgreSQL', async (note) => {
  const { connectionString, schema } = await postgresStore();
  const url = new URL(connectionString);
  // The planner reads small tables whole, unless it is forced to use indexes.
  url.searchParams.set('options', '-c enable_seqscan=off');
  const engine = createPostgresEngine({ connectionString: url.href, schema, pool: { max: 2 } }, 20_000, {
    keepContent: false,
    leaseMs: 60_000,
    pollMs: 1_000,
    onError: () => undefined,
  });
  await engine.open();
  onTestFinished(() => engine.close());
  const { sql } = engine;
  return {
    sql,
    async explain(text, values) {
      const rows = await sql.read(`EXPLAIN ${text}`, values);
      return rows.map((row) => Object.values(row).join()).join('\n');
    },
    scan: /Seq Scan|Sort Key: .*state/,
    inbox: createPostgresQueue({
      query(text, values) {
        note(text, values as readonly SqlValue[]);
        return sql.write(text, values as readonly SqlValue[]);
      },
      table: (name) => sql.table(name),
      list: (parameter) => sql.list(parameter),
      now: sql.now,
      queue: 'inbox',
      owner: 'this process',
      keepContent: false,
    }),
  };
});
