import { postgres } from '../../src/delivery/postgres/index.js';
import { deliveryMigrations } from '../../src/delivery/storage/schema.js';
import type { SqlDatabase } from '../../src/delivery/storage/sql.js';
import { postgresStore } from '../helpers/postgres.js';
import { describeReleasedSchemas } from './released-schemas.js';

/** The schema's name in the fixtures. */
const SCHEMA = 'handoff_kit';

const literalOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value);
};

describeReleasedSchemas('postgres', async () => {
  const store = await postgresStore();
  const table = (name: string): string => `${SCHEMA}.${name}`;
  return {
    createDelivery: () => postgres({ connectionString: store.connectionString, schema: store.schema }),
    async run(statements) {
      for (const sql of statements)
        await store.query(
          sql
            .replaceAll(`${SCHEMA}.`, `${store.schema}.`)
            .replace(`SCHEMA ${SCHEMA}`, `SCHEMA ${store.schema}`),
        );
    },
    tables: async () => [
      `CREATE SCHEMA ${SCHEMA}`,
      `CREATE TABLE ${table('schema_version')} (component text PRIMARY KEY, version integer NOT NULL)`,
      ...deliveryMigrations({ dialect: 'postgres', table } as SqlDatabase).flat(),
    ],
    rows: async (name) =>
      (await store.query(`SELECT * FROM ${store.schema}.${name}`)).map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, value]) => [column, literalOf(value)])),
      ),
    table,
    last: [`SELECT setval('${table('seen_key_seq_seq')}', 1000)`],
  };
});
