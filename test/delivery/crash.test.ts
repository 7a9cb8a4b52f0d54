import { describe, expect, it } from 'vitest';
import { type CrashPlan, type CrashReport, runCrash } from './crash/run.js';
import { postgresCrashStore, sqliteCrashStore } from './crash/stores.js';

/** Set by `npm run test:crash`, for a long run with one database. */
const { CRASH_KILLS, CRASH_ENGINE } = process.env;
const isLong = CRASH_KILLS !== undefined;

const log = (line: string): void => {
  if (isLong) process.stdout.write(`${line}\n`);
};

const SHORT = { kills: 4, conversations: 20, paceMs: 40 };
const LONG = { kills: Number(CRASH_KILLS), conversations: 300, paceMs: 800 };

const planFor = (instances: number): CrashPlan => ({ ...(isLong ? LONG : SHORT), instances, log });

const describeReport = (engine: string, instances: number, report: CrashReport): string =>
  [
    `${engine}, ${instances} receiver(s) at a time, ${report.kills} kills in ${report.seconds} s:`,
    `  ${report.accepted} events answered 200 (${report.resent} requests were sent again), ${report.handled} handled`,
    `  ${report.cutOff} handler runs interrupted by a kill, ${report.repeated} repeated although they had finished`,
    `  ${report.replies} replies reached the platform, ${report.repliesTwice} of them twice`,
    `  ${report.violations.length} violations`,
  ].join('\n');

describe.runIf(!CRASH_ENGINE || CRASH_ENGINE === 'sqlite')('receivers on SQLite that are killed', () => {
  it.each([1, 2])(
    'lose no event, keep the order, and repeat only what a kill interrupted: %i at a time',
    { timeout: 1_800_000 },
    async (instances) => {
      const report = await runCrash(await sqliteCrashStore(), planFor(instances));
      log(describeReport('SQLite', instances, report));
      expect(report.violations).toEqual([]);
      expect(report.handled).toBe(report.accepted);
    },
  );
});

describe.runIf(!CRASH_ENGINE || CRASH_ENGINE === 'postgres')(
  'receivers on PostgreSQL that are killed',
  () => {
    it('lose no event, keep the order, and repeat only what a kill interrupted: two at a time, and the database restarts', {
      timeout: 1_800_000,
    }, async () => {
      const report = await runCrash(await postgresCrashStore(), planFor(2));
      log(describeReport('PostgreSQL', 2, report));
      expect(report.violations).toEqual([]);
      expect(report.handled).toBe(report.accepted);
    });
  },
);
