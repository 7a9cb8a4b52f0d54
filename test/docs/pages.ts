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
  [...text.matchAll(/^```(\w*)(?: ([\w.-]+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', name = '', code = '']) => ({ language, name, code }),
  );

/** Guides in which a block without imports continues the previous block. */
const CONTINUED = [...ADAPTER_GUIDES, 'docs/desk.md'];

/**
 * The programs of a page: its blocks of TypeScript and JavaScript, with those that continue them. A block that names a
 * file can be imported by the others.
 */
export function programsIn(page: string): { readonly file: string; readonly parts: string[] }[] {
  const programs: { file: string; parts: string[] }[] = [];
  for (const { language, name, code } of blocksIn(read(page))) {
    if (!['ts', 'js'].includes(language)) continue;
    const previous = programs.at(-1);
    const file = name.includes('.') ? name : `program-${programs.length}.${language}`;
    if (previous && CONTINUED.includes(page) && !code.includes('import ')) previous.parts.push(code);
    else programs.push({ file, parts: [code] });
  }
  return programs;
}

/** The command lines in a text, without `handoff-kit`: in Markdown code, and after `$ `. */
export function commandLinesIn(text: string): string[] {
  const joined = text.replace(/\\\n\s*/g, '');
  const lines = [
    ...joined.matchAll(/`(?:npx )?handoff-kit ([^`\n]+)`/g),
    ...joined.matchAll(
      /^(?:\s*\$ )?(?:[^`\n]*[|&] )?(?:[A-Z_]+=\S+ )*(?:npx )?handoff-kit (-?[a-z][^`\n]*)$/gm,
    ),
  ].map(([, line = '']) => line);
  // A remark follows after two spaces, or another program after an operator.
  return lines.flatMap((line) => line.split(/ {2,}| [|>]+ | && /, 1));
}
