import type { CannedReply, QaPair } from '../../../api.js';

/** A text that may answer the customer. */
export interface Suggestion {
  readonly title: string;
  readonly text: string;
}

/** Less in common than this is no suggestion. */
const MIN_SCORE = 0.5;
const MAX_SUGGESTIONS = 2;

/**
 * Finds taught answers and canned replies for a question of the customer, by the words they have in common. Chinese and
 * Japanese have no spaces, so pairs of characters count as words there.
 */
export function suggestionsFor(
  question: string,
  taught: readonly QaPair[],
  canned: readonly CannedReply[],
): readonly Suggestion[] {
  const asked = wordsOf(question);
  if (asked.size === 0) return [];
  const candidates = [
    ...taught.map(({ question: title, answer }) => ({ title, text: answer, words: wordsOf(title) })),
    ...canned.map(({ title, text }) => ({ title, text, words: wordsOf(title) })),
  ];
  return candidates
    .map((each) => ({ ...each, score: scoreOf(asked, each.words) }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ title, text }) => ({ title, text }));
}

/** The share of a candidate's words that the customer used. */
function scoreOf(asked: ReadonlySet<string>, words: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  return [...words].filter((word) => asked.has(word)).length / words.size;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : word.length > 2 ? [word] : [])),
  );
}

const pairsOf = (word: string): string[] => {
  const characters = Array.from(word);
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
};
