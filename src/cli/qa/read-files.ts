import { UsageError } from '../run-command.js';
import { readRows } from './read-rows.js';

/** What the command line says of files to add. */
export interface FileFlags {
  readonly fileUrl?: readonly string[];
  readonly sourceUrl?: readonly string[];
  readonly fileList?: string;
}

/** Files to add, with the purpose that their kind means. */
export type FilesToAdd =
  | { readonly purpose: 'QA_FILE'; readonly files: readonly { file_url: string; file_name: string }[] }
  | { readonly purpose: 'FILE_2_QA'; readonly files: readonly { source_url: string; file_name: string }[] };

/** A file that replaces what a document holds. */
export type FileToUpdate = {
  readonly doc_id: string;
  readonly source_url: string;
  readonly file_name: string;
};

/** The files to add; `null` where the command line names none. */
export async function readFilesToAdd({
  fileUrl = [],
  sourceUrl = [],
  fileList,
}: FileFlags): Promise<FilesToAdd | null> {
  const rows = fileList === undefined ? [] : await readRows(fileList, []);
  const csv = [...fileUrl.map(parseFile), ...listed(rows, 'file_url')];
  const documents = [...sourceUrl.map(parseFile), ...listed(rows, 'source_url')];
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

/** The files of a list, each with the document it replaces. */
export async function readFilesToUpdate(fileList: string): Promise<FileToUpdate[]> {
  const rows = await readRows(fileList, ['doc_id', 'source_url']);
  return rows.map(({ doc_id = '', source_url = '', file_name }) => ({
    doc_id,
    source_url,
    file_name: file_name || nameOf(source_url),
  }));
}

const listed = (rows: readonly Readonly<Record<string, string>>[], column: 'file_url' | 'source_url') =>
  rows.flatMap((row) => {
    const url = row[column];
    return url ? [{ url, name: row.file_name || nameOf(url) }] : [];
  });

/** A URL, or a name and a URL with "=" between them. */
function parseFile(text: string): { url: string; name: string } {
  const [, name, url = ''] = /^(?:(.+?)=)?(https?:\/\/.+)$/is.exec(text) ?? [];
  if (url === '') {
    throw new UsageError(
      "a file is an http or https URL, or a name and a URL, such as 'Prices.csv=https://…'",
    );
  }
  return { url, name: name?.trim() || nameOf(url) };
}

function nameOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const last = path.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || 'file';
  } catch {
    return last;
  }
}
