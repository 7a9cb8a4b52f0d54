import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** `path` is relative to the repository's root. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

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

export interface CodeBlock {
  readonly language: string;
  /** The word after the language: a file name, or the block's purpose. */
  readonly name: string;
  readonly code: string;
}

export const blocksIn = (text: string): CodeBlock[] =>
  [...text.matchAll(/^```(\w+)(?: ([\w.-]+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', name = '', code = '']) => ({ language, name, code }),
  );
