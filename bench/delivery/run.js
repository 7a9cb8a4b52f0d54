import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../child.js';
import { busyWarning, machine } from '../machine.js';
import { prepare } from '../prepare.js';
import { writeResults } from '../results-file.js';
import { contenderOf, slowDiskGroups, throughputGroups } from './contenders.js';
import { measureInTurn } from './measure.js';
import { readOptions } from './options.js';
import { startPostgres } from './postgres-server.js';
import { createReport } from './report.js';
import { buildSlowDisk } from './slow-disk.js';

const RESULTS = new URL('../DELIVERY.md', import.meta.url);
const INTRODUCTION = `# Deliveries: results

Written by \`npm run bench:delivery\`; [README.md](README.md#deliveries) describes the method. Compare ratios, not
absolute figures. Each Node major has its last full run.
`;

const CONNECTIONS = 32;
/** Many events share one sync of a slow disk; 32 connections would limit every contender to 32 events per sync. */
const SLOW_DISK_CONNECTIONS = 256;

/** pg-boss slows down as more keys wait, so it is measured less and its drains have a time limit. */
const BOSS_LARGEST = 100_000;
const BOSS_ROUNDS = 3;
const BOSS_WITHIN_MS = 30_000;

/** @type {(() => unknown)[]} */
const cleanups = [];
const startedAt = performance.now();

function progress(/** @type {string} */ text) {
  const line = `${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(4)} s  ${text}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
  else console.log(line);
}

/** Starts a child process that stops with the run. */
async function start(/** @type {string} */ file, /** @type {string[]} */ args, env = {}) {
  const child = await startChild(file, args, env);
  cleanups.push(() => child.stop());
  return child;
}

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * What the parts of a run share.
 *
 * @typedef {object} Run
 * @property {import('./options.js').Options} options
 * @property {ReadonlyMap<string, import('./contenders.js').Contender>} selected by id
 * @property {import('./postgres-server.js').Postgres | null} postgres
 * @property {import('../child.js').Child} generator
 * @property {ReturnType<typeof createReport>} report
 */

let schemas = 0;

/**
 * An empty store for a contender: a new folder and a new schema.
 *
 * @param {Run} run
 * @param {string} id
 */
function newStore({ postgres }, id) {
  schemas += 1;
  return { id, folder: temporaryFolder(), url: postgres?.url ?? '', schema: `bench_${schemas}` };
}

/**
 * Starts the server of a contender on a store.
 *
 * @param {Run} run
 * @param {ReturnType<typeof newStore>} store
 * @returns {Promise<import('./measure.js').Entry>}
 */
async function serve({ postgres }, { id, folder, url, schema }, name = id, env = {}) {
  const server = await start('delivery/server.js', [id, folder, url, schema], env);
  return { id: name, server, databaseCpu: contenderOf(id).needsPostgres ? (postgres?.cpu ?? null) : null };
}

/**
 * Measures servers in turn, then stops them.
 *
 * @param {Run} run
 * @param {string} part
 * @param {import('./measure.js').Entry[]} entries
 * @param {Partial<import('./measure.js').Pace>} pace
 */
async function measure({ generator, options }, part, entries, pace = {}) {
  const title = `${part}  ${entries.map(({ id }) => id).join(', ')}`;
  const measured = await measureInTurn(
    entries,
    generator,
    { ...options, connections: CONNECTIONS, ...pace },
    (text) => progress(`${title}  ${text}`),
  );
  for (const { server } of entries) server.stop();
  return measured;
}

/** @param {Run} run */
async function throughput(run) {
  for (const group of throughputGroups) {
    const entries = [];
    for (const id of group.filter((each) => run.selected.has(each))) {
      entries.push(await serve(run, newStore(run, id)));
    }
    if (entries.length > 0) run.report.throughput(await measure(run, 'throughput', entries));
  }
}

/**
 * One process per contender drains in all rounds. The first round warms up its compiled code and is not counted.
 *
 * @param {Run} run
 */
async function draining(run) {
  const { drained, drainRounds } = run.options;
  /** @type {Map<string, { handled: number, cpu: number }[]>} */
  const samples = new Map();
  const children = new Map();
  for (const id of ['sqlite', 'postgres', 'pg-boss'].filter((each) => run.selected.has(each))) {
    samples.set(id, []);
    children.set(id, await start('delivery/drain.js', []));
  }
  for (let round = 0; round <= drainRounds; round += 1) {
    for (const [id, child] of children) {
      progress(`draining  ${round === 0 ? 'warm-up' : `round ${round}/${drainRounds}`}  ${id}`);
      const store = newStore(run, id);
      await child.ask({ task: 'store', store, count: drained });
      const rates = ratesOf([await child.ask({ task: 'drain', store, count: drained })]);
      if (round > 0) samples.get(id)?.push(rates);
    }
  }
  for (const child of children.values()) child.stop();
  run.report.draining(samples);
}

/** Events per second, and CPU microseconds per event, of some drains together. */
function ratesOf(/** @type {readonly import('./drain.js').DrainResult[]} */ results) {
  const sum = (/** @type {'handled' | 'ms' | 'cpu'} */ field) =>
    results.reduce((total, result) => total + result[field], 0);
  return { handled: (sum('handled') / sum('ms')) * 1_000, cpu: sum('cpu') / sum('handled') };
}

/** @param {Run} run */
async function remembered(run) {
  const { fillRememberedEvents } = await import('./fill.js');
  for (const id of ['sqlite', 'postgres'].filter((each) => run.selected.has(each))) {
    const entries = [];
    for (const size of run.options.sizes) {
      progress(`remembered  ${id}  inserting ${size.toLocaleString('en')} events`);
      const store = newStore(run, id);
      await fillRememberedEvents(store, size);
      entries.push(await serve(run, store, String(size)));
    }
    const rounds = Math.min(31, run.options.rounds);
    run.report.remembered(id, await measure(run, `remembered  ${id}`, entries, { rounds }));
  }
}

/**
 * Sizes take turns within a round, and one process drains all of them, so that its compiled code is the same. The
 * first round warms it up and is not counted.
 *
 * @param {Run} run
 */
async function waiting(run) {
  const { drained, drainRounds, sizes } = run.options;
  const { dueOf, fillWaitingConversations } = await import('./fill.js');
  for (const id of ['sqlite', 'postgres', 'pg-boss'].filter((each) => run.selected.has(each))) {
    const isBoss = id === 'pg-boss';
    const rounds = isBoss ? Math.min(BOSS_ROUNDS, drainRounds) : drainRounds;
    const child = await start('delivery/drain.js', []);
    const fill = async (/** @type {number} */ size) => {
      const store = newStore(run, id);
      await fillWaitingConversations(store, size);
      return store;
    };
    /** @type {Map<number, ReturnType<typeof newStore>>} */
    const largeStores = new Map();
    /** Drains as many stores of a size as it takes for `drained` events; a large one lasts for all rounds. */
    const drainSize = async (/** @type {number} */ size) => {
      const isLarge = dueOf(size) > drained * (rounds + 2);
      /** @type {import('./drain.js').DrainResult[]} */
      const results = [];
      for (let left = drained; left > 0 && !results.at(-1)?.gaveUp; left -= results.at(-1)?.handled ?? left) {
        const store = largeStores.get(size) ?? (await fill(size));
        if (isLarge) largeStores.set(size, store);
        const count = Math.min(left, dueOf(size));
        const withinMs = isBoss ? BOSS_WITHIN_MS : undefined;
        results.push(await child.ask({ task: 'drain', store, count, withinMs }));
      }
      return { ...ratesOf(results), gaveUp: results.some(({ gaveUp }) => gaveUp) };
    };

    /** @type {import('../rounds.js').Round<{ handled: number, cpu: number }>[]} */
    const samples = [];
    const tooSlow = new Set();
    for (let round = 0; round <= rounds; round += 1) {
      /** @type {Record<string, { handled: number, cpu: number }>} */
      const sample = {};
      for (const size of sizes.filter((each) => !isBoss || each <= BOSS_LARGEST)) {
        if (tooSlow.has(size)) continue;
        const title = `${size.toLocaleString('en')} conversations`;
        progress(`waiting  ${id}  ${round === 0 ? 'warm-up' : `round ${round}/${rounds}`}  ${title}`);
        const { gaveUp, ...rates } = await drainSize(size);
        sample[size] = rates;
        if (gaveUp) tooSlow.add(size);
      }
      // A size that is too slow has no second round, so its first one counts.
      if (round > 0 || tooSlow.size > 0) samples.push(sample);
    }
    child.stop();
    run.report.waiting(id, samples);
  }
}

/**
 * Drains the same events with one reply each, and without, and sends as many replies with `fetch` alone, in turn. The first round warms up and is not counted.
 *
 * @param {Run} run
 */
async function replies(run) {
  const { replied, replyRounds } = run.options;
  const { dueOf, fillWaitingConversations } = await import('./fill.js');
  const { port } = await start('delivery/platform.js', []);
  for (const id of ['sqlite', 'postgres'].filter((each) => run.selected.has(each))) {
    const child = await start('delivery/drain.js', []);
    const drainSize = async (/** @type {number} */ size, /** @type {boolean} */ withReplies) => {
      /** @type {import('./drain.js').DrainResult[]} */
      const results = [];
      for (let left = replied; left > 0; left -= results.at(-1)?.handled ?? left) {
        const store = newStore(run, id);
        await fillWaitingConversations(store, size, 'handoff.message');
        const count = Math.min(left, dueOf(size));
        const platform = { port, replies: withReplies };
        results.push(await child.ask({ task: 'drain', store, count, platform }));
      }
      return ratesOf(results).handled;
    };
    for (const size of [1_000, 100_000]) {
      /** @type {import('./report.js').ReplyRound[]} */
      const samples = [];
      for (let round = 0; round <= replyRounds; round += 1) {
        progress(`replies  ${id}  ${size.toLocaleString('en')} waiting  round ${round}/${replyRounds}`);
        const sample = {
          without: await drainSize(size, false),
          with: await drainSize(size, true),
          fetch: ratesOf([
            await child.ask({ task: 'fetch', store: { id }, count: replied, platform: { port } }),
          ]).handled,
        };
        if (round > 0) samples.push(sample);
      }
      run.report.replies(id, size, samples);
    }
    child.stop();
  }
}

/** @param {Run} run */
async function slowDisk(run) {
  const slow = buildSlowDisk(temporaryFolder());
  if ('reason' in slow) return run.report.noSlowDisk(slow.reason);
  for (const { group, maxRounds } of slowDiskGroups) {
    const entries = [];
    for (const id of group.filter((each) => run.selected.has(each))) {
      entries.push(await serve(run, newStore(run, id), id, { LD_PRELOAD: slow.library }));
    }
    if (entries.length === 0) continue;
    const rounds = Math.min(maxRounds, run.options.rounds);
    const pace = { rounds, connections: SLOW_DISK_CONNECTIONS };
    run.report.slowDisk(await measure(run, 'slow disk', entries, pace));
  }
}

/** @type {Readonly<Record<import('./options.js').Part, (run: Run) => Promise<void>>>} */
const parts = { throughput, draining, remembered, waiting, replies, 'slow-disk': slowDisk };

/** @param {import('./options.js').Options} options */
async function bench(options) {
  prepare([{ needsDist: true }]);
  console.log(machine());
  const warning = busyWarning();
  if (warning) console.log(warning);

  const postgres = options.selected.some(({ needsPostgres }) => needsPostgres) ? await startPostgres() : null;
  // Cleanups run in reverse: PostgreSQL stops last.
  if (postgres) cleanups.unshift(() => postgres.remove());
  const report = createReport(options, SLOW_DISK_CONNECTIONS);
  const selected = new Map(options.selected.map((contender) => [contender.id, contender]));
  const run = { options, selected, postgres, generator: await start('load.js', []), report };
  for (const [part, measurePart] of Object.entries(parts)) {
    if (options.parts.has(/** @type {import('./options.js').Part} */ (part))) await measurePart(run);
  }

  progress('done');
  console.log(`\n\n${report.text()}`);
  if (!options.writesResults) {
    console.log('\nbench/DELIVERY.md is unchanged: only a full run writes it.');
    return;
  }
  const major = Number.parseInt(process.versions.node, 10);
  writeResults(RESULTS, INTRODUCTION, major, `${machine()}. ${report.text()}`);
  console.log(`\nWritten: bench/DELIVERY.md, section Node ${major}.`);
}

try {
  const options = readOptions(process.argv.slice(2));
  if ('help' in options) console.log(options.help);
  else await bench(options);
} catch (error) {
  console.error(`\nbench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
} finally {
  for (const cleanup of cleanups.toReversed()) await cleanup();
}
