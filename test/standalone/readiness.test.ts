import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteDatabase, sqlite } from '../../src/delivery/sqlite/index.js';
import { createDatabaseCheck } from '../../src/standalone/health.js';
import { deferred } from '../helpers/deferred.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder } from './databases.js';
import { startStandalone } from './in-process.js';

async function readiness(url: string) {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
}

describe('readyz', () => {
  it('reports whether the database can be reached', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const delivery = sqlite({ file });
    const { queues, close } = await openSqliteDatabase(file);
    const { url, logged } = await startStandalone({}, { ...delivery, queues });
    expect(await readiness(url)).toEqual([200, { status: 'ready' }]);
    await close();
    expect(await readiness(url)).toEqual([503, { status: 'database unreachable' }]);
    expect(await readiness(url)).toEqual([503, { status: 'database unreachable' }]);
    expect(logged.about('cannot be used')).toHaveLength(1);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('does not wait for a database that hangs, and sends it no second query', async () => {
    const answers = [deferred(), deferred()];
    let asked = 0;
    const { log, about } = logLines();
    const ask = () => answers[asked++]?.promise ?? Promise.resolve();
    const check = createDatabaseCheck({ check: ask }, log, 5);
    expect(await Promise.all([check(), check()])).toEqual([false, false]);
    expect(await check()).toBe(false);
    expect([asked, about('cannot be used').length]).toEqual([1, 1]);
    answers[0]?.resolve();
    await answers[0]?.promise;
    answers[1]?.resolve();
    expect(await check()).toBe(true);
    expect(about('can be used again')).toHaveLength(1);
  });
});
