import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { runNode } from '../../standalone/program.js';

/** A database that several processes share. */
export interface SharedDatabase {
  readonly engine: 'sqlite' | 'postgres';
  readonly options: object;
  /** Whether another process can write. A process that is paused in the middle of a transaction keeps SQLite's lock. */
  readonly isWritable?: () => boolean;
}

/** Pauses a process, again if it was in the middle of a transaction. */
async function pauseOutsideTransaction(
  { signal }: Pick<ReturnType<typeof runNode>, 'signal'>,
  isWritable: () => boolean,
): Promise<void> {
  signal('SIGSTOP');
  // The signal takes effect within milliseconds.
  for (await sleep(50); !isWritable(); await sleep(50)) {
    signal('SIGCONT');
    await sleep(10);
    signal('SIGSTOP');
  }
}

/** Longer than any test, so that claims of a dead process do not expire. */
const LONG_LEASE = { leaseMs: 3_600_000 };

const ACCEPT = ['--accept', 'first', '--accept', 'second', '--accept', 'third'];

/** Starts processes on a new database of one engine. */
async function onDatabase(
  createDatabase: () => Promise<SharedDatabase>,
  more: object = {},
  platform = 'http://127.0.0.1:2',
) {
  const { engine, options, isWritable = () => true } = await createDatabase();
  const settings = JSON.stringify({ leaseMs: 1_000, pollMs: 100, ...options, ...more });
  const flags = ['--engine', engine, '--options', settings, '--platform', platform];
  const startProcess = (...args: readonly string[]) =>
    runNode(['test/delivery/takeover/process.js', ...flags, ...args]);
  return Object.assign(startProcess, { isWritable });
}

/** The jobs of a process that is killed or paused. */
export function describeTakeover(name: string, createDatabase: () => Promise<SharedDatabase>): void {
  describe(`with ${name}, a process that is killed`, () => {
    it('leaves its events to another, which handles them in order', async () => {
      const startProcess = await onDatabase(createDatabase);
      const killed = startProcess('--wait', ...ACCEPT);
      await killed.until(/handles first attempt 1/);
      await killed.until(/ready/);
      const other = startProcess();
      await other.until(/ready/);
      killed.signal('SIGKILL');
      await killed.ended;
      await other.until(/finished third/);
      expect(other.stdout().match(/handles .*/g)).toEqual([
        'handles first attempt 2',
        'handles second attempt 1',
        'handles third attempt 1',
      ]);
    });
  });

  describe(`with ${name}, a process that is paused for longer than its lease`, () => {
    it('loses its claim, and changes nothing when it continues', async () => {
      const startProcess = await onDatabase(createDatabase);
      const paused = startProcess('--wait', ...ACCEPT);
      await paused.until(/handles first attempt 1/);
      await paused.until(/ready/);
      await pauseOutsideTransaction(paused, startProcess.isWritable);
      const other = startProcess('--wait');
      await other.until(/handles first attempt 2/);

      // Its handler finishes, and it stores that while the other process runs the same event.
      paused.signal('SIGCONT');
      paused.signal('SIGUSR2');
      await paused.until(/finished first/);
      paused.signal('SIGHUP');
      await paused.until(/stopped with 0 unfinished/);
      expect(other.stdout()).not.toContain('handles second');

      other.signal('SIGUSR2');
      await other.until(/handles second attempt 1/);
      other.signal('SIGUSR2');
      await other.until(/handles third attempt 1/);
      expect(paused.stdout().match(/handles .*/g)).toEqual(['handles first attempt 1']);
    });
  });
}

/** More of the same: interrupted replies, events that end their process, and pauses of a process that replies. */
export function describeTakeoverAtLength(name: string, createDatabase: () => Promise<SharedDatabase>): void {
  describe(`with ${name}, a process that is killed`, () => {
    describe.runIf(process.platform === 'linux')('is missed at once on the same machine', () => {
      it.each([
        ['by a process that runs', true],
        ['by its successor', false],
      ])('%s', async (_by, isRunning) => {
        const startProcess = await onDatabase(createDatabase, LONG_LEASE);
        const killed = startProcess('--wait', ...ACCEPT);
        await killed.until(/handles first attempt 1/);
        await killed.until(/ready/);
        const running = isRunning ? startProcess() : undefined;
        await running?.until(/ready/);
        killed.signal('SIGKILL');
        await killed.ended;
        await (running ?? startProcess()).until(/finished third/);
      });
    });

    it.each([
      ['resend', ['said', 'said', 'later']],
      ['dead-letter', ['said', 'later']],
    ])('while it sends a reply leaves the outcome unknown: %s', async (unknown, expected) => {
      const platform = await flakyPlatform((_call, nth) => (nth === 1 ? 'silence' : { status: 200 }));
      const startProcess = await onDatabase(createDatabase, {}, platform.options.baseUrl);
      const killed = startProcess('--reply', 'said', '--reply', 'later');
      await killed.until(/ready/);
      await expect.poll(() => platform.calls.length, { timeout: 20_000 }).toBe(1);
      killed.signal('SIGKILL');
      await killed.ended;
      const other = startProcess('--unknown', unknown);
      await expect.poll(() => platform.said('c'), { timeout: 20_000 }).toEqual(expected);
      if (unknown === 'dead-letter') await other.until(/reports OUTCOME_UNKNOWN/);
    });
  });

  describe(`with ${name}, events that were being handled when their process was killed`, () => {
    const innocents = Array.from({ length: 14 }, (_, nth) => `innocent-${nth}`);
    const linesOf = (outputs: readonly string[], pattern: RegExp) =>
      new Set(outputs.flatMap((output) => [...output.matchAll(pattern)].map(([, key]) => key)));

    it('are all handled, except the event that killed it each time, which becomes a dead letter', {
      timeout: 120_000,
    }, async () => {
      const startProcess = await onDatabase(createDatabase, { leaseMs: 400 });
      const args = ['--take', '300', '--poison', 'poison'];
      const accept = [...innocents, 'poison'].flatMap((key) => ['--accept', key]);
      const outputs: string[] = [];
      for (let isDrained = false; !isDrained; ) {
        const running = startProcess(...args, ...(outputs.length === 0 ? accept : []));
        isDrained = await running.until(/drained/).then(
          () => true,
          () => false,
        );
        outputs.push(running.stdout());
      }
      const dead = outputs.at(-1)?.match(/dead .*/g);
      expect(dead).toEqual([expect.stringMatching(/^dead poison: .*the process ended.* 3 times/)]);
      expect(outputs.at(-1)).toContain('reports PROCESS_ENDED');
      expect(linesOf(outputs, /finished (\S+)/g)).toEqual(new Set(innocents));
    });

    it('are all handled after any number of kills from outside', {
      timeout: 120_000,
    }, async () => {
      const startProcess = await onDatabase(createDatabase, { leaseMs: 400, maxAttempts: 2 });
      for (let kills = 0; kills < 10; kills += 1) {
        const accept = kills === 0 ? innocents.flatMap((key) => ['--accept', key]) : [];
        const killed = startProcess('--take', '600000', ...accept);
        await killed.until(/handles/);
        await killed.until(/ready/);
        killed.signal('SIGKILL');
        await killed.ended;
      }
      const last = startProcess('--take', '1');
      await last.until(/drained/);
      expect(last.stdout()).not.toMatch(/dead /);
      expect(linesOf([last.stdout()], /finished (\S+)/g)).toEqual(new Set(innocents));
    });
  });

  describe(`with ${name}, a process that is paused for longer than its lease`, () => {
    it('starts, sends and ends nothing when it continues, while two others work', async () => {
      const CONVERSATIONS = ['a', 'b', 'c'];
      const platform = await flakyPlatform();
      const startProcess = await onDatabase(createDatabase, {}, platform.options.baseUrl);
      const events = CONVERSATIONS.flatMap((id) => [`request:${id}`, `${id}:1`, `${id}:2`, `${id}:last`]);
      const paused = startProcess('--answer', '--wait', ...events.flatMap((event) => ['--accept', event]));
      for (const id of CONVERSATIONS) await paused.until(new RegExp(`handles ${id}:1 attempt 1`));
      await paused.until(/ready/);
      await pauseOutsideTransaction(paused, startProcess.isWritable);
      const others = [startProcess('--answer'), startProcess('--answer')];
      const answers = (id: string): string[] => [`${id}:1 attempt 2`, `${id}:2 attempt 1`, 'close'];
      for (const id of CONVERSATIONS) {
        await expect.poll(() => platform.said(id), { timeout: 20_000 }).toEqual(answers(id));
      }

      // Its first handlers continue, and would reply with another text.
      paused.signal('SIGCONT');
      paused.signal('SIGUSR2');
      for (const id of CONVERSATIONS) {
        await paused.until(new RegExp(`reply to ${id}:1 CLAIM_LOST`));
        await paused.until(new RegExp(`aborted ${id}:1`));
      }
      for (const process of [paused, ...others]) {
        process.signal('SIGHUP');
        await process.until(/stopped with 0 unfinished/);
      }
      for (const id of CONVERSATIONS) expect(platform.said(id)).toEqual(answers(id));
      expect(paused.stdout().match(/handles .*/g)).toHaveLength(CONVERSATIONS.length);
    });

    it('ends no conversation that another handles', async () => {
      const platform = await flakyPlatform();
      const startProcess = await onDatabase(createDatabase, {}, platform.options.baseUrl);
      const paused = startProcess('--answer', '--wait', '--accept', 'request:c', '--accept', 'c:last');
      await paused.until(/handles c:last attempt 1/);
      await paused.until(/ready/);
      await pauseOutsideTransaction(paused, startProcess.isWritable);
      const other = startProcess('--wait');
      await other.until(/handles c:last attempt 2/);
      paused.signal('SIGCONT');
      paused.signal('SIGUSR2');
      await paused.until(/end of c CLAIM_LOST/);
      other.signal('SIGUSR2');
      await other.until(/finished c:last waiting/);
      expect(platform.calls).toEqual([]);
    });
  });
}
