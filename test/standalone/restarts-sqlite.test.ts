import { describe, expect, it } from 'vitest';
import { runRestarts } from './restarts.js';
import { databaseUrl } from './start-program.js';

/** One of each replica. `restarts-sqlite.long.test.ts` and `restarts-postgres.long.test.ts` have more. */
const RESTARTS = 2;

describe('two replicas on one SQLite file behind a load balancer', () => {
  it('are each restarted once without a failed request and without a lost event', async () => {
    const report = await runRestarts({ databaseUrl: databaseUrl(), restarts: RESTARTS, signal: 'SIGTERM' });
    expect(report).toMatchObject({ failed: [], lost: [], exitCodes: [0] });
    expect(report.accepted).toBeGreaterThan(RESTARTS);
  });
});
