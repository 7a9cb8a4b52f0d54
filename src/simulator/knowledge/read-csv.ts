import { parse } from 'csv-parse/sync';
import type { QaPair } from '../../protocol/index.js';

/** The row of the column names when `header_row` is not given. */
const DEFAULT_HEADER_ROW = 1;

/**
 * Reads the pairs of a CSV file, or throws an error that says what is wrong with it.
 *
 * `headerRow` counts rows from 1, blank ones left out. That row names the columns and what stands above it is
 * skipped; 0 means that there is no such row. The columns named `question` and `answer`, in any case, hold the
 * pairs; where no such names are found, the first two columns do. Other columns are ignored. A row that lacks
 * one of the two makes the whole file bad, so that nothing is lost in silence.
 */
export function readCsv(text: string, headerRow: number = DEFAULT_HEADER_ROW): QaPair[] {
  const rows = readRows(text);
  const names = headerRow > 0 ? (rows[headerRow - 1] ?? []) : [];
  const named = names.map((name) => name.toLowerCase());
  const hasNames = named.includes('question') && named.includes('answer');
  const questionColumn = hasNames ? named.indexOf('question') : 0;
  const answerColumn = hasNames ? named.indexOf('answer') : 1;

  const pairs = rows.slice(headerRow).map((row, index) => {
    const question = row[questionColumn];
    const answer = row[answerColumn];
    if (question && answer) return { question, answer };
    throw new Error(`row ${headerRow + index + 1} lacks its ${question ? 'answer' : 'question'}`);
  });
  if (pairs.length === 0) throw new Error('there is no row below the header row');
  return pairs;
}

function readRows(text: string): string[][] {
  return parse(text, {
    bom: true,
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  });
}
