import { useState } from 'preact/hooks';
import { useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

const cannedOf = ({ canned }: State) => canned.replies;
const agentsOf = ({ agents }: State) => agents;
const teamsOf = ({ teams }: State) => teams;
const meOf = ({ me }: State) => me.id;
const MAX_SHOWN = 6;
/** A slash at the start of a word, and the search text. */
const SLASH = /(?<=^|\s)\/([^\s/]*)$/;
/** An at sign that is not part of an e-mail address, and the start of a name, which may have spaces. */
const AT = /(?<![a-z0-9])@([^@\n]{0,40})$/i;

/** A text to insert, with its label and search text. */
interface Suggestion {
  readonly key: string;
  readonly title: string;
  readonly more: string;
  readonly insert: string;
}

const optionId = (index: number): string => `suggestion-${index}`;

/** Suggestions for a text that ends with a sign and part of a search text. */
function useSuggestions(
  text: string,
  setText: (text: string) => void,
  {
    label,
    sign,
    all,
  }: { readonly label: string; readonly sign: RegExp; readonly all: readonly Suggestion[] },
) {
  const [index, setIndex] = useState(0);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const found = sign.exec(text);
  const typed = found?.[1]?.toLowerCase();
  const isOpen = typed !== undefined && dismissed !== text;
  const matches = isOpen
    ? all.filter(({ title, more }) => `${title}\n${more}`.toLowerCase().includes(typed)).slice(0, MAX_SHOWN)
    : [];
  const chosen = Math.min(index, matches.length - 1);

  const insert = (suggestion: Suggestion | undefined): void => {
    if (!suggestion || !found) return;
    setText(`${text.slice(0, found.index)}${suggestion.insert}`);
    setIndex(0);
  };

  /** Handles a key of the text field; returns whether it did. */
  const onKey = ({ key }: KeyboardEvent): boolean => {
    if (matches.length === 0) return false;
    if (key === 'ArrowDown') setIndex((chosen + 1) % matches.length);
    else if (key === 'ArrowUp') setIndex((chosen + matches.length - 1) % matches.length);
    else if (key === 'Enter' || key === 'Tab') insert(matches[chosen]);
    else if (key === 'Escape') setDismissed(text);
    else return false;
    return true;
  };

  return {
    label,
    matches,
    chosen,
    insert,
    onKey,
    activeId: matches.length > 0 ? optionId(chosen) : undefined,
  };
}

/** Canned replies behind a slash. */
export function useCannedSuggestions(
  text: string,
  setText: (text: string) => void,
  fill: (text: string) => string,
) {
  const all = useDeskState(cannedOf).map((reply) => ({
    key: reply.id,
    title: reply.title,
    more: reply.text,
    insert: fill(reply.text),
  }));
  return useSuggestions(text, setText, { label: t('canned'), sign: SLASH, all });
}

/** Colleagues and teams behind an at sign. The desk finds mentions by their names. */
export function useMentionSuggestions(text: string, setText: (text: string) => void) {
  const agents = useDeskState(agentsOf);
  const teams = useDeskState(teamsOf);
  const me = useDeskState(meOf);
  const names = [...agents, ...teams].map(({ name }) => name.toLowerCase());
  const isUnique = (name: string): boolean =>
    names.filter((each) => each === name.toLowerCase()).length === 1;
  const all = [
    ...agents
      .filter(({ id }) => id !== me)
      .map(({ id, name }) => ({ key: id, title: name, more: id, insert: `@${isUnique(name) ? name : id} ` })),
    ...teams.map(({ id, name }) => ({
      key: `team ${id}`,
      title: name,
      more: t('teamIs', { team: name }),
      insert: `@${name} `,
    })),
  ];
  return useSuggestions(text, setText, { label: t('mention'), sign: AT, all });
}

/** The list above the text field. The field keeps the focus and names the chosen option. */
export function Suggestions({
  label,
  matches,
  chosen,
  insert,
}: Pick<ReturnType<typeof useSuggestions>, 'label' | 'matches' | 'chosen' | 'insert'>) {
  if (matches.length === 0) return null;
  return (
    <div id="suggestions" class="suggestions" role="listbox" aria-label={label}>
      {matches.map((suggestion, index) => (
        <button
          type="button"
          role="option"
          tabIndex={-1}
          key={suggestion.key}
          id={optionId(index)}
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            insert(suggestion);
          }}
        >
          <strong dir="auto">{suggestion.title}</strong> <span dir="auto">{suggestion.more}</span>
        </button>
      ))}
    </div>
  );
}
