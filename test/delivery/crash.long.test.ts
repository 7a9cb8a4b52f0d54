import { describe, expect, it } from 'vitest';
import { type CrashPlan, type CrashReport, runCrash } from './crash/run.js';
import { postgresCrashStore, sqliteCrashStore } from './crash/stores.js';

/** Set by `npm run test:crash`, for a long run. */
const { CRASH_KILLS, CRASH_PAUSES, CRASH_ENGINE = 'both' } = process.env;
const isLong = CRASH_KILLS !== undefined;

const log = (line: string): void => {
  if (isLong) process.stdout.write(`${line}\n`);
};

const SHORT = { kills: 4, pauses: 2, conversations: 20, paceMs: 40 };
const LONG = {
  kills: Number(CRASH_KILLS),
  pauses: Number(CRASH_PAUSES),
  conversations: 300,
  paceMs: 800,
};

const planFor = (instances: number): CrashPlan => ({ ...(isLong ? LONG : SHORT), instances, log });

const describeReport = (engine: string, instances: number, report: CrashReport): string =>
  [
    `${engine}, ${instances} receiver(s) at a time, ${report.kills} kills and ${report.pauses} pauses in ${report.seconds} s:`,
    `  ${report.accepted} events answered 200 (${report.resent} requests were sent again), ${report.handled} handled`,
    `  ${report.cutOff} handler runs interrupted, ${report.repeated} repeated although they had finished`,
    `  ${report.replies} replies reached the platform, ${report.repliesTwice} of them twice, ${report.repliesLate} again after later ones`,
    `  ${report.late} times a process that was not paused was late with its lease`,
    `  ${report.violations.length} violations`,
  ].join('\n');

describe.runIf(CRASH_ENGINE !== 'postgres')('receivers on SQLite that are killed and paused', () => {
  it.each([1, 2])(
    'lose no event, keep the order, and repeat only interrupted events: %i at a time',
    { timeout: 1_800_000 },
    async (instances) => {
      const report = await runCrash(await sqliteCrashStore(), planFor(instances));
      log(describeReport('SQLite', instances, report));
      expect(report.violations).toEqual([]);
      expect(report.handled).toBe(report.accepted);
    },
  );
});

describe.runIf(CRASH_ENGINE !== 'sqlite')('receivers on PostgreSQL that are killed and paused', () => {
  it('lose no event, keep the order, and repeat only interrupted events: three at a time, with database restarts', {
    timeout: 1_800_000,
  }, async () => {
    const report = await runCrash(await postgresCrashStore(), planFor(3));
    log(describeReport('PostgreSQL', 3, report));
    expect(report.violations).toEqual([]);
    expect(report.handled).toBe(report.accepted);
  });
});
