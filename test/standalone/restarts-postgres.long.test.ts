import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../helpers/postgres-server.js';
import { logReport, restartsOr, runRestarts } from './restarts.js';

const TIMEOUT = { timeout: 3_600_000 };

async function emptyServer(): Promise<string> {
  const server = await startServer();
  onTestFinished(() => server.remove());
  return server.connectionString;
}

describe('two replicas on PostgreSQL behind a load balancer', () => {
  it('are restarted without a failed request and without a lost event', TIMEOUT, async () => {
    const restarts = restartsOr(8);
    const report = await runRestarts({ databaseUrl: await emptyServer(), restarts, signal: 'SIGTERM' });
    logReport('PostgreSQL, SIGTERM', report);
    expect(report).toMatchObject({ failed: [], lost: [], exitCodes: [0] });
    expect(report.accepted).toBeGreaterThan(restarts);
  });

  it('are killed without the loss of an event that was answered 200', TIMEOUT, async () => {
    const restarts = restartsOr(6);
    const report = await runRestarts({ databaseUrl: await emptyServer(), restarts, signal: 'SIGKILL' });
    logReport('PostgreSQL, SIGKILL', report);
    expect(report.lost).toEqual([]);
    expect(report.accepted).toBeGreaterThan(restarts);
  });
});
