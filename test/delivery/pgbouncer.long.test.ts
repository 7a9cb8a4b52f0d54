import { expect, it } from 'vitest';
import { chatEvent } from '../helpers/events.js';
import { describeWithPgBouncer, startPgBouncer } from '../helpers/pgbouncer.js';
import { engineOn, postgresStore } from '../helpers/postgres.js';
import { notes, stage } from './contract/stage.js';
import { runCrash } from './crash/run.js';
import { postgresCrashStore } from './crash/stores.js';

describeWithPgBouncer('receivers behind PgBouncer, with connections shared between transactions', () => {
  it('lose no event and keep the order when they are killed and paused', { timeout: 600_000 }, async () => {
    const store = await postgresCrashStore();
    const connectionString = await startPgBouncer(String(store.options.connectionString));
    const report = await runCrash(
      { ...store, options: { ...store.options, connectionString } },
      {
        kills: 8,
        pauses: 2,
        conversations: 30,
        instances: 3,
        paceMs: 60,
      },
    );
    expect(report.violations).toEqual([]);
    expect(report.handled).toBe(report.accepted);
  });

  it('find the work of others by polling, and say once that notifications do not arrive', async () => {
    const direct = await postgresStore();
    const connectionString = await startPgBouncer(direct.connectionString);
    const set = await stage(engineOn({ ...direct, connectionString }, { pollMs: 50 }));
    const seen = notes<string>();
    const one = await set.open(({ key }) => seen.add(key));
    const other = await set.open(({ key }) => seen.add(key));
    for (const to of [one, other]) await to.accept(chatEvent('c', { key: to === one ? '1' : '2' }));
    expect(await seen.until(2)).toEqual(['1', '2']);
    for (const { logged } of [one, other]) {
      await logged.until('notifications of PostgreSQL do not arrive');
      expect(logged.about('notifications of PostgreSQL do not arrive')).toHaveLength(1);
    }
  });
});
