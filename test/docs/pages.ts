import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** The text of a file, by its path from the root. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** The guides of the adapters. */
export const ADAPTER_GUIDES: readonly string[] = readdirSync(join(ROOT, 'src/adapters')).map(
  (name) => `src/adapters/${name}/README.md`,
);

/** Every Markdown file for users, written or generated, except for the API reference. */
export const PAGES: readonly string[] = [
  'README.md',
  'SECURITY.md',
  'examples/README.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/reference'),
  ...markdownIn('docs/zh'),
  ...ADAPTER_GUIDES,
];

/** A block of code in a page. */
export interface CodeBlock {
  readonly language: string;
  /** The word behind the language: the name of a file, or what the block is for. */
  readonly name: string;
  readonly code: string;
}

/** The blocks of code of a Markdown text. */
export const blocksIn = (text: string): CodeBlock[] =>
  [...text.matchAll(/^```(\w+)(?: ([\w.-]+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', name = '', code = '']) => ({ language, name, code }),
  );
