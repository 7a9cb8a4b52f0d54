import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfigFile, SETTINGS } from '../../src/standalone/index.js';
import { temporaryFolder } from '../standalone/databases.js';
import { blocksIn, PAGES, read } from './pages.js';

/** Lines of shell blocks, and what becomes of them. The first that matches counts. */
const SHELL: readonly (readonly [line: RegExp, fate: string])[] = [
  [
    /^(?:[A-Z_]+=\S+ )*(?:npx )?handoff-kit /,
    'run: commands.test.ts knows it, run-commands.long.test.ts runs it',
  ],
  [/^npx tsc |^node --env-file=\.env /, 'run: hosts.long.test.ts, browser/tutorial.test.ts'],
  [
    /^(?:mkdir my-receiver|npm init -y|npm pkg set|npm install handoff-kit express$)/,
    'run: browser/tutorial.test.ts',
  ],
  [
    /^npm install @photostructure\/sqlite$|^npm ci --omit=dev$|^node server\.js$/,
    'run: browser/tutorial.test.ts',
  ],
  [/^npm create handoff-kit /, 'run: package/scaffold.test.ts'],
  [/^npx esbuild /, 'run: package/modules.test.ts'],
  [/^curl -H "Authorization: Bearer \$DESK_TOKEN"/, 'run: desk-api.test.ts'],
  [/^export [A-Z_]+=/, 'checked: a setting that exists'],
  [/^npm (?:ci|install|run|test|start)\b/, 'not run: it needs the registry, or is this test run itself'],
  [
    /^(?:sudo|docker|kubectl|ssh|curl|cp|cd|rm|rt-setup-database-5|\$EDITOR|systemctl)\b/,
    'not run: it needs another machine or service',
  ],
  [/^\s+|^#|^$/, 'the continuation of a line, or a remark'],
];

const fateOf = (line: string): string | undefined => SHELL.find(([pattern]) => pattern.test(line))?.[1];

/** What becomes of a block in the tests, by its language; `null` for a language that nothing checks. */
function fatesOf(page: string, language: string, code: string): (string | null)[] {
  if (language === 'ts' || language === 'js')
    return ['compiled: code-blocks.test.ts; run: programs.test.ts says where'];
  if (language === 'sh')
    return code
      .trimEnd()
      .split('\n')
      .map((line) => fateOf(line) ?? null);
  if (language === 'ini') return ['checked: readme.test.ts, browser/tutorial.test.ts'];
  if (language === 'json') return [typeof JSON.parse(code) === 'object' ? 'checked: it is JSON' : null];
  if (language === 'yaml') return [typeof parse(code) === 'object' ? 'checked: it is YAML' : null];
  if (language === 'text')
    return [page.startsWith('docs/reference/') ? 'generated: reference.test.ts' : null];
  if (language === 'md') return ['not run: a text for another program'];
  return [language === '' ? 'not run: a drawing, or what a program prints' : null];
}

const blocks = PAGES.flatMap((page) => blocksIn(read(page)).map((block) => ({ page, ...block })));

it('every block of the docs is run or checked, or there is a reason why not', () => {
  const unknown = blocks.flatMap(({ page, language, code }) =>
    fatesOf(page, language, code).includes(null) ? [{ page, language, code }] : [],
  );
  expect(unknown).toEqual([]);
});

it('the config file of the settings is one that serve reads', () => {
  const [file] = blocksIn(read('docs/settings.md')).filter(({ language }) => language === 'json');
  const path = join(temporaryFolder(), 'handoff.json');
  writeFileSync(path, file?.code ?? '');
  expect(readConfigFile(path).problems).toEqual([]);
});

it('every variable that a shell block exports is a setting', () => {
  const known = new Set(SETTINGS.map(({ env }) => env));
  const exported = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => [...code.matchAll(/^export ([A-Z_]+)=/gm)].map(([, name = '']) => name));
  expect(exported.length).toBeGreaterThan(20);
  expect(exported.filter((name) => !known.has(name))).toEqual([]);
});
