// @ts-check
// tsc copies no assets: brings pages to where what is built looks for them.
import { cpSync } from 'node:fs';

const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url);

for (const page of ['simulator/page', 'cli/demo/page']) {
  cpSync(at(`src/${page}`), at(`dist/${page}`), {
    recursive: true,
    filter: (source) => !source.endsWith('tsconfig.json'),
  });
}
