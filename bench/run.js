import { startChild } from './child.js';
import { yardsticks } from './contenders/index.js';
import { busyWarning, machine, versions } from './machine.js';
import { measureInTurn, warmUp } from './measure.js';
import { readOptions } from './options.js';
import { prepare } from './prepare.js';
import { markdownReport, summarize, terminalReport } from './report.js';
import { writeResults } from './results-file.js';
import { verify } from './verify.js';

const RESULTS = new URL('RESULTS.md', import.meta.url);
const INTRODUCTION = `# Results

Written by \`npm run bench\`; [README.md](README.md) describes the method. Compare ratios, not absolute figures: the
machine has few processors and runs other work, and another machine gives other figures. A ratio compares CPU time per
request, since requests per second vary by half on shared machines: above 1, the contender needs less. It is the median
over the rounds, in each of which both contenders were measured within a second. Each Node major has its last full run. The
handlers read the text of the event unless the row says otherwise.
`;

/** Above this share of a CPU the generator may have been the bottleneck. */
const GENERATOR_LIMIT = 0.95;

/** Rewrites one line on a terminal; prints lines elsewhere. */
function progress(/** @type {string} */ text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`);
  else console.log(text);
}

/** @type {import('./child.js').Child[]} */
const children = [];

async function start(/** @type {string} */ file, /** @type {string[]} */ ...args) {
  const child = await startChild(file, args);
  children.push(child);
  return child;
}

async function serve(/** @type {import('./contenders/index.js').Contender} */ contender) {
  return { contender, server: await start('server.js', contender.id) };
}

/**
 * Measures each contender together with the yardsticks, one contender after another.
 *
 * @param {import('./options.js').Options} options
 * @returns {Promise<Map<string, import('./measure.js').Round[]>>} the rounds by contender
 */
async function measureGroups(options) {
  const generator = await start('load.js');
  const yardstickEntries = [];
  for (const yardstick of yardsticks) {
    progress(`warm-up of ${yardstick.id}`);
    const entry = await serve(yardstick);
    await warmUp(entry, generator, options);
    yardstickEntries.push(entry);
  }
  const contenders = options.selected.filter((each) => !yardsticks.includes(each));
  /** @type {Map<string, import('./measure.js').Round[]>} */
  const groups = new Map();
  for (const [index, contender] of contenders.entries()) {
    const place = `${index + 1}/${contenders.length}  ${contender.id}`;
    progress(`${place}  warm-up`);
    const entry = await serve(contender);
    await warmUp(entry, generator, options);
    groups.set(
      contender.id,
      await measureInTurn([...yardstickEntries, entry], generator, options, (text) =>
        progress(`${place}  ${text}`),
      ),
    );
    entry.server.stop();
  }
  return groups;
}

/** @param {import('./options.js').Options} options */
async function bench(options) {
  prepare(options.selected);
  console.log(`${machine()}\n${versions()}`);
  const warning = busyWarning();
  if (warning) console.log(warning);

  for (const contender of options.selected) {
    progress(`checking ${contender.id}`);
    const { server } = await serve(contender);
    await verify(contender, server);
    server.stop();
  }
  progress(`${options.selected.length} contenders checked: valid requests pass, invalid ones are refused`);
  console.log();
  const groups = await measureGroups(options);
  progress('done');
  console.log('\n');

  const rows = summarize(options.selected, groups);
  console.log(terminalReport(rows));
  const busiest = rows.reduce((a, b) => (a.busy > b.busy ? a : b));
  const generatorNote = `The load generator took at most ${Math.round(busiest.busy * 100)} % of a CPU (${busiest.title})`;
  console.log(`\n${generatorNote}.`);
  if (busiest.busy > GENERATOR_LIMIT) console.log('It may have been the bottleneck there.');
  if (!options.writesResults) {
    console.log('bench/RESULTS.md is unchanged: only a full run writes it.');
    return;
  }
  const load = `${options.rounds} rounds of ${options.seconds} s, ${options.connections} connections`;
  const preface = `${machine()}. ${load}. ${versions()}. ${generatorNote}.`;
  const major = Number.parseInt(process.versions.node, 10);
  writeResults(RESULTS, INTRODUCTION, major, markdownReport(rows, preface));
  console.log(`Written: bench/RESULTS.md, section Node ${major}.`);
}

try {
  const options = readOptions(process.argv.slice(2));
  if ('help' in options) console.log(options.help);
  else await bench(options);
} catch (error) {
  console.error(`\nbench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  for (const child of children) child.stop();
}
