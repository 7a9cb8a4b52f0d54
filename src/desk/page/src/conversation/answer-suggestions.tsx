import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CannedReply, ConversationUpdate, QaPair } from '../../../api.js';
import { useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

const cannedOf = ({ canned }: State) => canned.replies;
const canTeachOf = ({ canTeach }: State) => canTeach;

/** Offers taught answers and canned replies that fit the customer's last message, while the field is empty. */
export function AnswerSuggestions({
  entries,
  bot,
  insert,
}: {
  readonly entries: readonly ConversationUpdate[];
  readonly bot: string;
  readonly insert: (text: string) => void;
}) {
  const { client } = useDesk();
  const canned = useDeskState(cannedOf);
  const canTeach = useDeskState(canTeachOf);
  const [taught, setTaught] = useState<readonly QaPair[]>([]);
  useEffect(() => {
    if (!canTeach) return;
    client.teaching(bot).then(
      ({ pairs }) => setTaught(pairs),
      // Without them there are fewer suggestions.
      () => undefined,
    );
  }, [bot]);
  const question = lastQuestionOf(entries);
  const suggestions = useMemo(
    () => (question === null ? [] : suggestionsFor(question, taught, canned)),
    [question, taught, canned],
  );
  if (suggestions.length === 0) return null;
  return (
    <div class="answers">
      <small>{t('suggested')}</small>
      {suggestions.map(({ title, text }) => (
        <button type="button" key={title} dir="auto" title={text} onClick={() => insert(text)}>
          {title}
        </button>
      ))}
    </div>
  );
}

/** The customer's last message, unless an agent has answered since. */
function lastQuestionOf(entries: readonly ConversationUpdate[]): string | null {
  const last = entries.findLast(({ event }) => event.type === 'message')?.event;
  return last?.type === 'message' && last.from === 'customer' ? last.text : null;
}

/** A text that may answer the customer. */
interface Suggestion {
  readonly title: string;
  readonly text: string;
}

/** Texts with less in common are not suggested. */
const MIN_SCORE = 0.5;
const MAX_SUGGESTIONS = 2;

/**
 * Finds taught answers and canned replies for a customer's question, by the words they share. Chinese and
 * Japanese have no spaces, so pairs of characters count as words there.
 */
function suggestionsFor(
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
