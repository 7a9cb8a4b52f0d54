import { describe, expect, it } from 'vitest';
import { flakyService } from '../helpers/flaky-service.js';
import { type PostgresStore, postgresStore } from '../helpers/postgres.js';
import { runNode } from '../standalone/program.js';

/** Starts one of several processes on a store. */
function startInstance(
  { connectionString, schema }: PostgresStore,
  service: string,
  args: readonly string[],
) {
  const where = ['--url', connectionString, '--schema', schema, '--service', service];
  return runNode(['test/helpers/postgres-instance.js', ...where, ...args]);
}

describe('a process that is killed', () => {
  it('leaves its events to another, which goes on in order', async () => {
    const store = await postgresStore();
    const { options } = await flakyService();
    const events = ['--accept', 'first', '--accept', 'second', '--accept', 'third'];
    const killed = startInstance(store, options.baseUrl, ['--hang', ...events]);
    await killed.until(/handles first attempt 1/);
    await killed.until(/ready/);
    const other = startInstance(store, options.baseUrl, []);
    await other.until(/ready/);
    killed.signal('SIGKILL');
    await killed.ended;
    await other.until(/handles third/);
    const handled = other.stdout().match(/handles .*/g);
    expect(handled).toEqual([
      'handles first attempt 2',
      'handles second attempt 1',
      'handles third attempt 1',
    ]);
  });

  it.each([
    ['resend', ['said', 'said', 'later']],
    ['park', ['said', 'later']],
  ])('in the middle of sending leaves a reply of which nobody knows: %s', async (unknown, expected) => {
    const store = await postgresStore();
    const service = await flakyService((_call, nth) => (nth === 1 ? 'silence' : { status: 200 }));
    const { baseUrl } = service.options;
    const killed = startInstance(store, baseUrl, ['--reply', 'said', '--reply', 'later']);
    await killed.until(/ready/);
    await expect.poll(() => service.calls.length, { timeout: 20_000 }).toBe(1);
    killed.signal('SIGKILL');
    await killed.ended;
    const other = startInstance(store, baseUrl, ['--unknown', unknown]);
    await expect.poll(() => service.said('c'), { timeout: 20_000 }).toEqual(expected);
    if (unknown === 'park') await other.until(/reports OUTCOME_UNKNOWN/);
  });
});
