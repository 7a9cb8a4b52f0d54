import type { QaPair } from '../../protocol/index.js';
import { UsageError } from '../run-command.js';
import { readRows } from './read-rows.js';

/** What the command line says of pairs. */
export interface PairFlags {
  readonly pair?: readonly string[];
  readonly pairs?: string;
}

/** The pairs that flags and a file give, in this order. */
export async function readPairs({ pair = [], pairs }: PairFlags): Promise<QaPair[]> {
  const rows = pairs === undefined ? [] : await readRows(pairs, ['question', 'answer']);
  const fromFile = rows.map(({ question = '', answer = '' }) => ({ question, answer }));
  return [...pair.map(parsePair), ...fromFile];
}

function parsePair(text: string, index: number): QaPair {
  const cut = text.indexOf('=');
  const question = text.slice(0, Math.max(0, cut)).trim();
  const answer = text.slice(cut + 1).trim();
  if (cut > 0 && question !== '' && answer !== '') return { question, answer };
  throw new UsageError(
    `--pair number ${index + 1} is not a question and an answer with "=" between them, such as 'How long?=Two days.'`,
  );
}
