#!/usr/bin/env node
// @ts-check
// Writes docs/settings.md from the settings of src/standalone. `--check` writes nothing and fails where the committed
// file is not what the settings say.
import { readFileSync, writeFileSync } from 'node:fs';
import { SETTING_GROUPS, SETTINGS } from '../dist/standalone/index.js';

const FILE = new URL('../docs/settings.md', import.meta.url);

const OPENING = `# Settings of \`handoff-kit serve\`

Made by \`npm run settings\` from the program itself; \`handoff-kit serve --help\` says the same and more.

Each setting is a variable of the environment, a flag, or a key of the JSON file that \`--config\` names, written as
\`PORT\` or as \`port\`. Flags count before the environment, and that before the file. Other users of a machine can see
command lines: give secrets in the environment or in the file. What is missing or wrong is listed at once, and the exit
code is 2.
`;

/** What would end a cell of a table, or be taken for a tag. */
const cell = (/** @type {string} */ text) => text.replaceAll('|', '\\|').replace(/<([\w:]+)>/g, '`<$1>`');

const groups = SETTING_GROUPS.map(({ title, keys }) => {
  const rows = keys.map((key) => {
    const { env, flag, help } = SETTINGS[key];
    return `| \`${env}\` | \`${flag}\` | ${cell(help)} |`;
  });
  return `\n## ${title}\n\n| environment | flag | |\n|---|---|---|\n${rows.join('\n')}\n`;
});

const text = `${OPENING}${groups.join('')}`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write('docs/settings.md is not what the settings say. Run npm run settings.\n');
  process.exitCode = 1;
}
