import { CsvError, parse } from 'csv-parse/sync';
import { parseJson, readText } from '../read-text.js';
import { UsageError } from '../run-command.js';

/** A row of a file: a record of text by lower-case column name. */
export type Row = Readonly<Record<string, string>>;

/** Reads a JSON list of objects, or CSV whose first row names the columns. `needs` are columns that no row may lack. */
export async function readRows(path: string, needs: readonly string[]): Promise<Row[]> {
  const text = (await readText(path)).replace(/^\uFEFF/, '');
  const rows = text.trimStart().startsWith('[') ? fromJson(text, path) : fromCsv(text, path);
  const name = path === '-' ? 'standard input' : path;
  if (rows.length === 0)
    throw new UsageError(`${name} holds nothing. It needs ${needs.join(' and ')} in each row.`);
  for (const [index, row] of rows.entries()) {
    const missing = needs.find((column) => !row[column]);
    if (missing === undefined) continue;
    throw new UsageError(
      `${name}: entry ${index + 1} has no ${missing}. Give a JSON list of objects with ${needs.join(', ')}, or CSV whose first row has these names.`,
    );
  }
  return rows;
}

function fromJson(text: string, path: string): Row[] {
  const value = parseJson(text, path);
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    const entries = typeof item === 'object' && item !== null ? Object.entries(item) : [];
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(texts.map(([name, content]) => [name.toLowerCase(), content]));
  });
}

function fromCsv(text: string, path: string): Row[] {
  try {
    return parse(text, {
      columns: (names: string[]) => names.map((name) => name.toLowerCase()),
      trim: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(
      `${path} is not CSV (${error.code}). Check its quotes and the columns of each row.`,
      {
        cause: error,
      },
    );
  }
}
