import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openPostgresDatabase, postgres } from '../../src/delivery/postgres/index.js';

const WHERE = { connectionString: 'postgres://127.0.0.1:1/none' };

describe('settings of PostgreSQL', () => {
  it.each([
    ['no database', {}],
    ['another kind of database', { connectionString: 'mysql://127.0.0.1/none' }],
    ['a schema that needs quotes', { ...WHERE, schema: 'Hand"off' }],
    ['no connections', { ...WHERE, pool: { max: 0 } }],
    ['no concurrency', { ...WHERE, concurrency: 0 }],
    ['no lease', { ...WHERE, leaseMs: 0 }],
  ])('are checked at once: %s', (_what, options) => {
    expect(() => postgres(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('never show the password', async () => {
    const failure = await openPostgresDatabase('postgres://user:hunter2@127.0.0.1:1/none').catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'DATABASE_UNUSABLE', cause: { code: 'ECONNREFUSED' } });
    expect(inspect(failure, { depth: 10 })).not.toContain('hunter2');
  });
});
