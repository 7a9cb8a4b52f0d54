import { join } from 'node:path';
import { loadDriver } from '../../src/delivery/sqlite/database.js';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { describeReleasedSchemas } from './released-schemas.js';

const literalOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value);
};

describeReleasedSchemas('sqlite', async () => {
  const file = join(await temporaryFolder(), 'handoff.db');
  const query = (sql: string) => {
    const connection = new (loadDriver())(file);
    try {
      return connection.prepare(sql).all();
    } finally {
      connection.close();
    }
  };
  return {
    createDelivery: () => sqlite({ file }),
    async run(statements) {
      for (const sql of statements) query(sql);
    },
    tables: async () =>
      query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'").map(
        ({ sql }) => String(sql),
      ),
    rows: async (table) =>
      query(`SELECT * FROM ${table}`).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, literalOf(value)])),
      ),
    table: (name) => name,
    last: [],
  };
});
