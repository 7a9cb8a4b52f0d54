// @ts-check
// Writes llms.txt and llms-full.txt for the package, with links from its root. The site has its own (docs/.vitepress).
import { writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { llmsFull, llmsTxt } from '../docs/.vitepress/llms.js';

const ROOT = new URL('../', import.meta.url);
const NOTES =
  'Paths are from the folder of the package. llms-full.txt has these pages in one file. dist/public/*.d.ts documents ' +
  'every public name, one file for each entry; openapi.json is the HTTP contract with the platform.';

writeFileSync(
  new URL('llms.txt', ROOT),
  llmsTxt((file) => file, NOTES),
);
writeFileSync(
  new URL('llms-full.txt', ROOT),
  llmsFull(
    (file) => file,
    (href, folder) => (/^([a-z]+:|#)/.test(href) ? href : posix.join(folder, href)),
  ),
);
