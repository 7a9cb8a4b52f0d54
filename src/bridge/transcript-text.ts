import type { TranscriptItem } from '../events/index.js';

/** How a transcript is written out. */
export interface TranscriptText {
  /** What stands before each line. Default `Customer`, `AI` and `Note`. */
  readonly names?: Readonly<Record<TranscriptItem['from'], string>>;
  /** At most so many characters; the oldest items go first. */
  readonly maxLength?: number;
}

const NAMES = { user: 'Customer', agent: 'AI', other: 'Note' } as const;
const LEFT_OUT = '[earlier messages were left out]';

/** Writes out what was said before a handoff, one item a paragraph. Items without text are left out. */
export function transcriptText(
  transcript: readonly TranscriptItem[],
  { names = NAMES, maxLength = Number.POSITIVE_INFINITY }: TranscriptText = {},
): string {
  const lines = transcript
    .filter(({ text }) => text.trim() !== '')
    .map(({ from, text }) => `${names[from]}: ${text}`);
  const whole = lines.join('\n\n');
  if (whole.length <= maxLength) return whole;
  const kept: string[] = [];
  let room = maxLength - LEFT_OUT.length;
  for (const line of lines.toReversed()) {
    room -= line.length + 2;
    if (room < 0) break;
    kept.unshift(line);
  }
  const last = lines.at(-1) ?? '';
  // One item alone can be too long: its end says most.
  if (kept.length === 0) kept.push(last.slice(-Math.max(0, maxLength - LEFT_OUT.length - 2)));
  return [LEFT_OUT, ...kept].join('\n\n').slice(0, maxLength);
}
