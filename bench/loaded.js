// Imports a module and prints how long that took and what it loaded: `node loaded.js <url>`.
import { writeSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const [url = '', isCounting] = process.argv.slice(2);
// The hook takes time itself, so a run either measures or counts.
if (isCounting === 'files') {
  const hook = `import { writeSync } from 'node:fs';
export async function load(url, context, next) { writeSync(1, url + '\\n'); return next(url, context); }`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
const startedAt = performance.now();
await import(url);
const ms = performance.now() - startedAt;
if (isCounting === 'files') {
  for (const file of Object.keys(createRequire(import.meta.url).cache)) writeSync(1, `file://${file}\n`);
} else {
  writeSync(1, String(ms));
}
