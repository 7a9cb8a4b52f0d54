import { useState } from 'preact/hooks';
import type { CannedReply } from '../../../api.js';
import { useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

const cannedOf = ({ canned }: State) => canned.replies;
const MAX_SHOWN = 6;
/** A slash at the start of a word, and what is searched for. */
const SLASH = /(?:^|\s)\/([^\s/]*)$/;

const optionId = (index: number): string => `canned-option-${index}`;

/** Canned replies for a text that ends with a slash and a part of their title or text. */
export function useCannedSuggestions(
  text: string,
  setText: (text: string) => void,
  fill: (text: string) => string,
) {
  const canned = useDeskState(cannedOf);
  const [index, setIndex] = useState(0);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const typed = SLASH.exec(text)?.[1]?.toLowerCase();
  const isOpen = typed !== undefined && dismissed !== text;
  const matches = isOpen
    ? canned
        .filter((reply) => `${reply.title}\n${reply.text}`.toLowerCase().includes(typed))
        .slice(0, MAX_SHOWN)
    : [];
  const chosen = Math.min(index, matches.length - 1);

  const insert = (reply: CannedReply | undefined): void => {
    if (!reply) return;
    const before = text.slice(0, text.lastIndexOf('/'));
    setText(`${before}${fill(reply.text)}`);
    setIndex(0);
  };

  /** Handles a key of the text field; tells whether it did. */
  const onKey = ({ key }: KeyboardEvent): boolean => {
    if (matches.length === 0) return false;
    if (key === 'ArrowDown') setIndex((chosen + 1) % matches.length);
    else if (key === 'ArrowUp') setIndex((chosen + matches.length - 1) % matches.length);
    else if (key === 'Enter' || key === 'Tab') insert(matches[chosen]);
    else if (key === 'Escape') setDismissed(text);
    else return false;
    return true;
  };

  return { matches, chosen, insert, onKey, activeId: matches.length > 0 ? optionId(chosen) : undefined };
}

/** The list above the text field. The field keeps the focus and names the chosen option. */
export function CannedSuggestions({
  matches,
  chosen,
  insert,
}: Pick<ReturnType<typeof useCannedSuggestions>, 'matches' | 'chosen' | 'insert'>) {
  if (matches.length === 0) return null;
  return (
    <div id="canned-options" class="suggestions" role="listbox" aria-label={t('canned')}>
      {matches.map((reply, index) => (
        <button
          type="button"
          role="option"
          tabIndex={-1}
          key={reply.id}
          id={optionId(index)}
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            insert(reply);
          }}
        >
          <strong dir="auto">{reply.title}</strong> <span dir="auto">{reply.text}</span>
        </button>
      ))}
    </div>
  );
}
