import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { QaPair } from '../../protocol/index.js';
import { readText } from '../input.js';
import { UsageError } from '../output.js';
import { readPairs } from './input.js';

/** Pairs that become one document of the platform. A file with more than one document takes has several parts. */
export interface DocumentPart {
  /** The file, relative to the folder, and `#2` and so on for further parts. */
  readonly path: string;
  readonly name: string;
  readonly pairs: readonly QaPair[];
  readonly digest: string;
}

/** The specification names no limit for pairs; a request stays well below what servers accept as a body. */
const MAX_PAIRS = 1_000;
const MAX_BYTES = 500_000;

const EXTENSIONS = /\.(md|csv|json)$/i;

/** The files of a folder that hold knowledge, as sorted relative paths. A README is for people. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new UsageError(`cannot read the folder ${folder}. Give one with Markdown or CSV files.`, {
      cause: error,
    });
  });
  return entries
    .filter((entry) => entry.isFile() && EXTENSIONS.test(entry.name) && !/^readme\.md$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((name) => name.startsWith('.') || name === 'node_modules'))
    .toSorted();
}

/** Reads a file of the folder. An error names the file, and the line where there is one. */
export async function readParts(folder: string, path: string): Promise<DocumentPart[]> {
  const file = join(folder, path);
  const title = path.replace(EXTENSIONS, '');
  const isMarkdown = /\.md$/i.test(path);
  const { name, pairs } = isMarkdown
    ? parseMarkdown(await readText(file), path, title)
    : { name: title, pairs: await readPairs({ pairs: file }) };
  checkQuestions(pairs, path);
  return split(pairs).map((part, index) => ({
    path: index === 0 ? path : `${path}#${index + 1}`,
    name: index === 0 ? name : `${name} (${index + 1})`,
    pairs: part,
    digest: createHash('sha256').update(JSON.stringify(part)).digest('hex').slice(0, 32),
  }));
}

/**
 * Each heading of the second level is a question, and the text below it its answer. One of the first level, at the top,
 * names the document.
 */
export function parseMarkdown(
  text: string,
  path: string,
  title: string,
): { readonly name: string; readonly pairs: readonly QaPair[] } {
  let name = title;
  let fence: string | null = null;
  const found: { question: string; lines: string[]; at: number }[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const at = index + 1;
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const [, level = '', words = ''] = (!fence && /^(#{1,2})\s+(.*?)\s*#*\s*$/.exec(line)) || [];
    const current = found.at(-1);
    if (level === '##') {
      if (words === '') throw new UsageError(`${path}:${at}: the heading has no question.`);
      found.push({ question: words, lines: [], at });
    } else if (level === '#' && !current) name = words || title;
    else if (current) current.lines.push(line);
    else if (line.trim() !== '') {
      throw new UsageError(
        `${path}:${at}: this text belongs to no question. Put it below a heading such as "## How long does it take?".`,
      );
    }
    if (mark !== '') fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
  }
  const pairs = found.map(({ question, lines, at }) => {
    const answer = lines.join('\n').trim();
    if (answer === '') throw new UsageError(`${path}:${at}: the question "${question}" has no answer.`);
    return { question, answer };
  });
  if (pairs.length === 0) throw new UsageError(`${path} holds no question. Questions are headings: "## …".`);
  return { name, pairs };
}

/** One question with two answers in a file is a mistake. */
function checkQuestions(pairs: readonly QaPair[], path: string): void {
  const seen = new Set<string>();
  for (const { question } of pairs) {
    const key = question.trim().toLowerCase();
    if (seen.has(key)) throw new UsageError(`${path} has the question "${question}" twice.`);
    seen.add(key);
  }
}

function split(pairs: readonly QaPair[]): QaPair[][] {
  const parts: QaPair[][] = [];
  let bytes = 0;
  for (const pair of pairs) {
    const size = Buffer.byteLength(pair.question) + Buffer.byteLength(pair.answer);
    const last = parts.at(-1);
    if (last && last.length < MAX_PAIRS && bytes + size <= MAX_BYTES) {
      last.push(pair);
      bytes += size;
    } else {
      parts.push([pair]);
      bytes = size;
    }
  }
  return parts;
}
