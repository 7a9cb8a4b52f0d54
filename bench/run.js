import { startChild } from './child.js';
import { busyWarning, machine, versions } from './machine.js';
import { measureAll } from './measure.js';
import { readOptions } from './options.js';
import { prepare } from './prepare.js';
import { markdownReport, summarize, terminalReport } from './report.js';
import { writeResults } from './results-file.js';
import { verify } from './verify.js';

const RESULTS = new URL('RESULTS.md', import.meta.url);
const INTRODUCTION = `# Results

Written by \`npm run bench\`; see [README.md](README.md) for what is measured and how. Trust the ratios and not the
figures: they come from a machine with few processors and neighbours who also use it, and a run on another machine
gives other figures. A column's ratio is that of the medians. Each Node major has the results of its last full run.
`;

/** Above this the generator itself may have been the limit. */
const GENERATOR_LIMIT = 0.95;

/** On a terminal one line that changes, elsewhere a line each. */
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

/** @param {import('./options.js').Options} options */
async function bench(options) {
  prepare(options.selected);
  console.log(`${machine()}\n${versions()}`);
  const warning = busyWarning();
  if (warning) console.log(warning);

  const generator = await start('load.js');
  const entries = [];
  for (const contender of options.selected) {
    progress(`checking ${contender.id}`);
    const server = await start('server.js', contender.id);
    await verify(contender, server);
    entries.push({ contender, server });
  }
  progress(`${entries.length} contenders checked: right requests pass, wrong ones are refused`);
  console.log();
  const samples = await measureAll(entries, generator, options, progress);
  progress('done');
  console.log('\n');

  const rows = summarize(options.selected, samples);
  console.log(terminalReport(rows));
  const busiest = rows.reduce((a, b) => (a.busy > b.busy ? a : b));
  const generatorNote = `The load generator took at most ${Math.round(busiest.busy * 100)} % of a processor (${busiest.title})`;
  console.log(`\n${generatorNote}.`);
  if (busiest.busy > GENERATOR_LIMIT) console.log('It may have been the limit there.');
  if (!options.forTheRecord) {
    console.log('bench/RESULTS.md is unchanged: only a full run writes it.');
    return;
  }
  const pace = `${options.rounds} rounds of ${options.seconds} s, ${options.connections} connections`;
  const preface = `${machine()}. ${pace}. ${versions()}. ${generatorNote}.`;
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
