#!/usr/bin/env node
// @ts-check
// Generates the pages of docs/reference from the code: commands, metrics, events, the HTTP contract and the desk's API. `--check` writes
// nothing and fails when a committed page is out of date. The API reference is made by the site itself (docs/.vitepress).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { commandsPage } from './reference/commands.js';
import { eventsPage, httpPage } from './reference/contract.js';
import { deskApiPage } from './reference/desk-api.js';
import { metricsPage } from './reference/metrics.js';

const FOLDER = new URL('../docs/reference/', import.meta.url);

const pages = {
  'cli.md': await commandsPage(),
  'events.md': eventsPage(),
  'http.md': httpPage(),
  'desk-api.md': await deskApiPage(),
  'metrics.md': await metricsPage(),
};

mkdirSync(FOLDER, { recursive: true });
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, FOLDER);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`docs/reference/${name} is out of date. Run npm run reference.\n`);
    process.exitCode = 1;
  }
}
