// @ts-check
// tsc copies no assets: brings the simulator's page to where the built simulator looks for it.
import { cpSync } from 'node:fs';

const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url);

cpSync(at('src/simulator/page'), at('dist/simulator/page'), {
  recursive: true,
  filter: (source) => !source.endsWith('tsconfig.json'),
});
