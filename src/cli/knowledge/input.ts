import { CsvError, parse } from 'csv-parse/sync';
import type { QaPair } from '../../protocol/index.js';
import { inputName, parseJson, readText } from '../input.js';
import { UsageError } from '../output.js';

/** The flags that give pairs of questions and answers. */
export interface PairFlags {
  readonly pair?: readonly string[];
  readonly pairs?: string;
}

/** The flags that give files to add. */
export interface FileFlags {
  readonly fileUrl?: readonly string[];
  readonly sourceUrl?: readonly string[];
  readonly fileList?: string;
}

/** Files to add, by the purpose that the platform expects for their kind. */
export type FilesToAdd =
  | { readonly purpose: 'QA_FILE'; readonly files: readonly { file_url: string; file_name: string }[] }
  | { readonly purpose: 'FILE_2_QA'; readonly files: readonly { source_url: string; file_name: string }[] };

/** A file that replaces the content of a document. */
export type FileToUpdate = {
  readonly doc_id: string;
  readonly source_url: string;
  readonly file_name: string;
};

/** Reads the pairs of the flags, then those of the file. */
export async function readPairs({ pair = [], pairs }: PairFlags): Promise<QaPair[]> {
  const rows = pairs === undefined ? [] : await readRows(pairs, ['question', 'answer']);
  const fromFile = rows.map(({ question = '', answer = '' }) => ({ question, answer }));
  return [...pair.map(parsePair), ...fromFile];
}

function parsePair(text: string, index: number): QaPair {
  const separator = text.indexOf('=');
  const question = text.slice(0, Math.max(0, separator)).trim();
  const answer = text.slice(separator + 1).trim();
  if (separator > 0 && question !== '' && answer !== '') return { question, answer };
  throw new UsageError(
    `--pair number ${index + 1} is not a question and an answer with "=" between them, such as 'How long?=Two days'.`,
  );
}

/** Reads the files to add; `null` when the command line names none. */
export async function readFilesToAdd({
  fileUrl = [],
  sourceUrl = [],
  fileList,
}: FileFlags): Promise<FilesToAdd | null> {
  const rows = fileList === undefined ? [] : await readRows(fileList, []);
  const csv = [...fileUrl.map(parseFile), ...filesIn(rows, 'file_url')];
  const documents = [...sourceUrl.map(parseFile), ...filesIn(rows, 'source_url')];
  if (csv.length + documents.length < fileUrl.length + sourceUrl.length + rows.length) {
    throw new UsageError('every entry of --file-list needs a file_url or a source_url.');
  }
  if (csv.length > 0 && documents.length > 0) {
    throw new UsageError(
      'CSV files (file_url) and documents (source_url) cannot go together. Add them one after the other.',
    );
  }
  if (csv.length > 0) {
    return { purpose: 'QA_FILE', files: csv.map(({ url, name }) => ({ file_url: url, file_name: name })) };
  }
  if (documents.length === 0) return null;
  return {
    purpose: 'FILE_2_QA',
    files: documents.map(({ url, name }) => ({ source_url: url, file_name: name })),
  };
}

/** Reads a list of files, each with the document that it replaces. */
export async function readFilesToUpdate(fileList: string): Promise<FileToUpdate[]> {
  const rows = await readRows(fileList, ['doc_id', 'source_url']);
  return rows.map(({ doc_id = '', source_url = '', file_name }) => ({
    doc_id,
    source_url,
    file_name: file_name || fileNameOf(source_url),
  }));
}

const filesIn = (rows: readonly Row[], column: 'file_url' | 'source_url') =>
  rows.flatMap((row) => {
    const url = row[column];
    return url ? [{ url, name: row.file_name || fileNameOf(url) }] : [];
  });

/** Parses a URL, or a name and a URL with "=" between them. */
function parseFile(text: string): { url: string; name: string } {
  const [, name, url = ''] = /^(?:(.+?)=)?(https?:\/\/.+)$/is.exec(text) ?? [];
  if (url === '') {
    throw new UsageError(
      "a file is an http or https URL, or a name and a URL, such as 'Prices.csv=https://…'.",
    );
  }
  return { url, name: name?.trim() || fileNameOf(url) };
}

function fileNameOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const last = path.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || 'file';
  } catch {
    return last;
  }
}

/** A row of a file: texts by lower-case column name. */
type Row = Readonly<Record<string, string>>;

/** Reads a JSON list of objects, or CSV whose first row names the columns. Every row must have all of `required`. */
async function readRows(path: string, required: readonly string[]): Promise<Row[]> {
  const text = (await readText(path)).replace(/^\uFEFF/, '');
  const rows = text.trimStart().startsWith('[') ? rowsOfJson(text, path) : rowsOfCsv(text, path);
  const name = inputName(path);
  if (rows.length === 0) {
    throw new UsageError(`${name} holds nothing. It needs ${required.join(' and ')} in each row.`);
  }
  for (const [index, row] of rows.entries()) {
    const missing = required.find((column) => !row[column]);
    if (missing === undefined) continue;
    throw new UsageError(
      `${name}: entry ${index + 1} has no ${missing}. Give a JSON list of objects with ${required.join(', ')}, or CSV whose first row has these names.`,
    );
  }
  return rows;
}

function rowsOfJson(text: string, path: string): Row[] {
  const value = parseJson(text, path);
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    const entries = typeof item === 'object' && item !== null ? Object.entries(item) : [];
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(texts.map(([name, content]) => [name.toLowerCase(), content]));
  });
}

function rowsOfCsv(text: string, path: string): Row[] {
  try {
    return parse(text, {
      columns: (names: string[]) => names.map((name) => name.toLowerCase()),
      trim: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `${path} is not CSV (${error.code}). Check its quotes and the columns of each row.`;
    throw new UsageError(message, { cause: error });
  }
}
