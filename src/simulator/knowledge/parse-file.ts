import { parse } from 'csv-parse/sync';
import type { FileProcessing, SimulatedQaPair } from '../requests/rules.js';
import { DEFAULT_CHUNK_TOKEN } from '../specification.js';

/** Used if a request has no `header_row`. */
const DEFAULT_HEADER_ROW = 1;

/**
 * Reads the QA pairs of a CSV file, or throws the reason.
 *
 * `headerRow` is the number of the row with the column names, counted from 1 without blank rows; 0 means that
 * there is none. Rows above it are skipped. The pairs are in the columns `question` and `answer` (any case), else
 * in the first two columns. Other columns are ignored. A row without a question or an answer fails the whole
 * file, so that no row is lost silently.
 */
export function readCsv(text: string, headerRow: number = DEFAULT_HEADER_ROW): SimulatedQaPair[] {
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

/** A token is a word with its trailing space, or one ideograph. */
const TOKEN = /\p{Ideographic}\s*|(?:(?!\p{Ideographic})\S)+\s*/gu;

const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;

/** Characters of a first line that are used as the question. */
const QUESTION_LENGTH = 120;

interface Piece {
  heading: string | null;
  text: string;
}

/**
 * Splits plain text or Markdown into QA pairs deterministically, or throws if there is no text.
 *
 * With a `splitter`, the text is cut at every occurrence of it. Without one it is cut at blank lines, and
 * paragraphs below the same Markdown heading are joined again. Pieces of more than `chunkToken` tokens are cut into
 * several. Each chunk is the answer of a pair. The question is the heading above it, or its first line, with a
 * number from the second chunk of the same question on.
 */
export function splitDocument(
  text: string,
  { chunkToken = DEFAULT_CHUNK_TOKEN, splitter }: Partial<Omit<FileProcessing, 'headerRow'>> = {},
): SimulatedQaPair[] {
  const clean = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const pieces = splitter ? cutAt(clean, splitter) : joinParagraphs(clean, chunkToken);
  const seen = new Map<string, number>();
  const pairs = pieces.flatMap((piece) =>
    cutByTokens(piece.text, chunkToken).map((answer) => {
      const question = piece.heading ?? firstLine(answer);
      const count = (seen.get(question) ?? 0) + 1;
      seen.set(question, count);
      return { question: count === 1 ? question : `${question} (${count})`, answer };
    }),
  );
  if (pairs.length === 0) throw new Error('the document holds no text');
  return pairs;
}

function cutAt(text: string, splitter: string): Piece[] {
  return text
    .split(splitter)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => ({ heading: null, text: part }));
}

/** Joins the paragraphs below a heading as long as they fit into a chunk. */
function joinParagraphs(text: string, chunkToken: number): Piece[] {
  const pieces: Piece[] = [];
  let heading: string | null = null;
  let open: Piece | null = null;
  for (const part of paragraphs(text)) {
    const found = HEADING.exec(part)?.[1];
    if (found !== undefined) {
      heading = found;
      open = null;
      continue;
    }
    const joined: string = open ? `${open.text}\n\n${part}` : part;
    if (open && countTokens(joined) <= chunkToken) {
      open.text = joined;
      continue;
    }
    open = { heading, text: part };
    pieces.push(open);
  }
  return pieces;
}

/** A heading is its own paragraph, even without a blank line below it. */
function paragraphs(text: string): string[] {
  return text
    .replace(/^#{1,6}\s.*$/gm, '\n$&\n')
    .split(/\n[^\S\n]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function cutByTokens(text: string, chunkToken: number): string[] {
  const tokens = text.match(TOKEN) ?? [];
  const chunks: string[] = [];
  for (let start = 0; start < tokens.length; start += chunkToken)
    chunks.push(
      tokens
        .slice(start, start + chunkToken)
        .join('')
        .trim(),
    );
  return chunks;
}

function countTokens(text: string): number {
  return text.match(TOKEN)?.length ?? 0;
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.replace(HEADING, '$1').slice(0, QUESTION_LENGTH).trim();
}
