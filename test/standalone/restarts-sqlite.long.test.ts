import { describe, expect, it } from 'vitest';
import { logReport, restartsOr, runRestarts } from './restarts.js';
import { databaseUrl } from './start-program.js';

const TIMEOUT = { timeout: 3_600_000 };

describe('two replicas on one SQLite file behind a load balancer', () => {
  it('are restarted without a failed request and without a lost event', TIMEOUT, async () => {
    const restarts = restartsOr(6);
    const report = await runRestarts({ databaseUrl: databaseUrl(), restarts, signal: 'SIGTERM' });
    logReport('SQLite, SIGTERM', report);
    expect(report).toMatchObject({ failed: [], lost: [], exitCodes: [0] });
    expect(report.accepted).toBeGreaterThan(restarts);
  });

  it('are killed without the loss of an event that was answered 200', TIMEOUT, async () => {
    const restarts = restartsOr(6);
    const report = await runRestarts({ databaseUrl: databaseUrl(), restarts, signal: 'SIGKILL' });
    logReport('SQLite, SIGKILL', report);
    expect(report.lost).toEqual([]);
    expect(report.accepted).toBeGreaterThan(restarts);
  });
});
