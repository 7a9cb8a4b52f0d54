import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ConversationUpdate, QaPair } from '../../../api.js';
import { useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';
import { suggestionsFor } from './suggest.js';

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
