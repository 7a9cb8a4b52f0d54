import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../child.js';
import { busyWarning, machine } from '../machine.js';
import { writeResults } from '../results-file.js';
import { contenderOf, groups, slowDiskGroups } from './contenders.js';
import { startPostgres } from './database.js';
import { fill } from './fill.js';
import { measureInTurn } from './measure.js';
import { readOptions } from './options.js';
import { createReport } from './report.js';
import { buildSlowDisk } from './slow-disk.js';

const RESULTS = new URL('../DELIVERY.md', import.meta.url);
const INTRODUCTION = `# Deliveries: results

Written by \`npm run bench:delivery\`; see [README.md](README.md#deliveries) for what is measured and how. Trust the
ratios and not the figures. Each Node major has the results of its last full run.
`;

/** Many wait for one sync of a slow disk; with few connections nobody could be faster than the disk. */
const SLOW_DISK_CONNECTIONS = 256;
const CONNECTIONS = 32;

/** @type {(() => unknown)[]} */
const farewells = [];
const began = performance.now();

function progress(/** @type {string} */ text) {
  const line = `${String(Math.round((performance.now() - began) / 1_000)).padStart(4)} s  ${text}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
  else console.log(line);
}

/** Starts a process that ends with the run. */
async function start(/** @type {string} */ file, /** @type {string[]} */ args, env = {}) {
  const child = await startChild(file, args, env);
  farewells.push(() => child.stop());
  return child;
}

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-'));
  farewells.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let schemas = 0;

/**
 * A place to store in that is empty.
 *
 * @param {string} id of the contender
 * @param {import('./database.js').Postgres | null} postgres
 */
function newStore(id, postgres) {
  schemas += 1;
  return { id, folder: temporaryFolder(), url: postgres?.url ?? '', schema: `bench_${schemas}` };
}

/**
 * Starts a contender on a store.
 *
 * @param {ReturnType<typeof newStore>} store
 * @param {import('./database.js').Postgres | null} postgres
 * @returns {Promise<import('./measure.js').Entry>}
 */
async function serve({ id, folder, url, schema }, postgres, name = id, env = {}) {
  const server = await start('delivery/server.js', [id, folder, url, schema], env);
  return { id: name, server, databaseCpu: contenderOf(id).needsPostgres ? (postgres?.cpu ?? null) : null };
}

/** @param {import('./options.js').Options} options */
async function bench(options) {
  const { parts, selected } = options;
  const report = createReport(options, SLOW_DISK_CONNECTIONS);
  console.log(machine());
  const warning = busyWarning();
  if (warning) console.log(warning);

  const needsPostgres = selected.some((contender) => contender.needsPostgres);
  const postgres = needsPostgres ? await startPostgres() : null;
  if (postgres) farewells.unshift(() => postgres.remove());
  const generator = await start('load.js', []);
  const pace = { ...options, connections: CONNECTIONS };
  const ids = selected.map(({ id }) => id);

  if (parts.has('throughput')) {
    // Only who is compared takes turns: the fewer wait, the shorter.
    for (const group of groups) {
      const entries = [];
      for (const id of ids.filter((each) => group.includes(each))) {
        entries.push(await serve(newStore(id, postgres), postgres));
      }
      if (entries.length === 0) continue;
      const measured = await measureInTurn(entries, generator, pace, (text) =>
        progress(`throughput  ${entries.map(({ id }) => id).join(', ')}  ${text}`),
      );
      for (const { server } of entries) server.stop();
      report.throughput(measured);
    }
  }

  if (parts.has('backlog')) {
    /** @type {Map<string, { handled: number, cpu: number }[]>} */
    const samples = new Map(
      ['sqlite', 'postgres', 'bare-boss'].filter((id) => ids.includes(id)).map((id) => [id, []]),
    );
    const rounds = Math.min(5, options.rounds);
    for (let round = 0; round < rounds; round += 1) {
      for (const [id, results] of samples) {
        progress(`backlog  round ${round + 1}/${rounds}  ${id}`);
        const { folder, url, schema } = newStore(id, postgres);
        const child = await start('delivery/backlog.js', [id, folder, url, schema, String(options.backlog)]);
        results.push(await child.ask('run'));
        child.stop();
      }
    }
    report.backlog(samples);
  }

  if (parts.has('growth')) {
    for (const id of ['sqlite', 'postgres'].filter((each) => ids.includes(each))) {
      const entries = [];
      for (const size of options.sizes) {
        progress(`growth  ${id}  storing ${size.toLocaleString('en')} events`);
        const store = newStore(id, postgres);
        await fill(store, size);
        entries.push(await serve(store, postgres, String(size)));
      }
      const rounds = Math.min(31, options.rounds);
      const measured = await measureInTurn(entries, generator, { ...pace, rounds }, (text) =>
        progress(`growth  ${id}  ${text}`),
      );
      for (const { server } of entries) server.stop();
      report.growth(id, measured);
    }
  }

  if (parts.has('slow-disk')) {
    const slow = buildSlowDisk(temporaryFolder());
    if ('why' in slow) report.noSlowDisk(slow.why);
    else {
      for (const { group, mostRounds } of slowDiskGroups) {
        const entries = [];
        for (const id of ids.filter((each) => group.includes(each))) {
          entries.push(await serve(newStore(id, null), null, id, { LD_PRELOAD: slow.library }));
        }
        if (entries.length === 0) continue;
        const rounds = Math.min(mostRounds, options.rounds);
        const slowPace = { ...pace, rounds, connections: SLOW_DISK_CONNECTIONS };
        const measured = await measureInTurn(entries, generator, slowPace, (text) =>
          progress(`slow disk  ${entries.map(({ id }) => id).join(', ')}  ${text}`),
        );
        for (const { server } of entries) server.stop();
        report.slowDisk(measured);
      }
    }
  }

  progress('done');
  console.log(`\n\n${report.text()}`);
  if (!options.forTheRecord) {
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
  for (const farewell of farewells.toReversed()) await farewell();
}
