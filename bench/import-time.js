// Import time and weight of the package beside its peers: `npm run bench:import`.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { busyWarning, machine } from './machine.js';

const ROUNDS = 21;
const OCTOKIT = '@octokit/webhooks';
const LOADED = fileURLToPath(new URL('loaded.js', import.meta.url));
const root = createRequire(new URL('../package.json', import.meta.url));
const here = createRequire(import.meta.url);

/** @type {readonly (readonly [name: string, find: () => string])[]} */
const MODULES = [
  ['handoff-kit', () => fileURLToPath(new URL('../dist/public/index.js', import.meta.url))],
  ['express', () => root.resolve('express')],
  ['fastify', () => root.resolve('fastify')],
  ['hono', () => root.resolve('hono')],
  ['@slack/bolt', () => here.resolve('@slack/bolt')],
  // It has no entry for require.
  ['@octokit/webhooks', () => fileURLToPath(import.meta.resolve(OCTOKIT))],
  ['@line/bot-sdk', () => here.resolve('@line/bot-sdk')],
];

/** @returns {string | null} */
function urlOf(/** @type {() => string} */ find) {
  try {
    return pathToFileURL(find()).href;
  } catch {
    return null;
  }
}

const run = (/** @type {string[]} */ ...args) =>
  execFileSync(process.execPath, [LOADED, ...args], { encoding: 'utf8' });

function weightOf(/** @type {string} */ url) {
  const files = new Set(
    run(url, 'files')
      .split('\n')
      .filter((line) => line.startsWith('file://')),
  );
  const sizes = [...files].map((file) => statSync(fileURLToPath(file)).size);
  return { files: files.size, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const median = (/** @type {number[]} */ values) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

const found = MODULES.flatMap(([name, find]) => {
  const url = urlOf(find);
  if (!url) console.log(`${name} is left out: it is not installed`);
  return url ? [{ name, url, times: /** @type {number[]} */ ([]) }] : [];
});
console.log(machine());
const warning = busyWarning();
if (warning) console.log(warning);
// In turn, so that other work of the machine affects all of them alike.
for (let round = 0; round < ROUNDS; round += 1)
  for (const each of found) each.times.push(Number(run(each.url)));

console.log(`\n${'import'.padEnd(20)}${'median'.padStart(10)}${'files'.padStart(8)}${'source'.padStart(12)}`);
for (const { name, url, times } of found) {
  const { files, bytes } = weightOf(url);
  const columns = [`${median(times).toFixed(0)} ms`.padStart(10), String(files).padStart(8)];
  console.log(`${name.padEnd(20)}${columns.join('')}${`${Math.round(bytes / 1_024)} KiB`.padStart(12)}`);
}
