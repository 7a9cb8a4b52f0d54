import { useEffect, useState } from 'preact/hooks';

const STORAGE_KEY = 'handoff-desk-draft';
/** Older drafts are dropped beyond this. */
const MAX_DRAFTS = 100;

/** Drafts are separate by agent, conversation and mode, so that a note never becomes a reply. */
export interface DraftKey {
  readonly agent: string;
  readonly conversation: string;
  readonly mode: 'reply' | 'note';
}

/** The text of a field, and the last text that was sent from it. */
export interface Draft {
  readonly text: string;
  /**
   * A text that is being sent or has failed, with its id. A repeat has the same id, also after a reload, so that a lost
   * answer does not send it twice. `null` once the desk has it.
   */
  readonly sending: { readonly id: string; readonly text: string } | null;
}

const EMPTY: Draft = { text: '', sending: null };

/** Tells other fields of this page about a change; other tabs get a `storage` event. */
const CHANGED = 'handoff-desk-draft-changed';

/** The draft of a text field, which survives reloads and is the same in all tabs. */
export function useDraft(key: DraftKey): Draft {
  const name = nameOf(key);
  const [draft, setDraft] = useState({ name, value: readDraft(key) });
  useEffect(() => {
    const update = (): void => setDraft({ name, value: readDraft(key) });
    addEventListener('storage', update);
    addEventListener(CHANGED, update);
    return () => {
      removeEventListener('storage', update);
      removeEventListener(CHANGED, update);
    };
  }, [name]);
  return draft.name === name ? draft.value : readDraft(key);
}

/** Changes a draft. Works without its field, because the agent may open another conversation while a reply is sent. */
export function changeDraft(key: DraftKey, change: (draft: Draft) => Draft): void {
  const name = nameOf(key);
  const { [name]: current = EMPTY, ...others } = readDrafts();
  const next = change(current);
  const isEmpty = next.text === '' && next.sending === null;
  const newest = Object.entries(isEmpty ? others : { ...others, [name]: next }).slice(-MAX_DRAFTS);
  localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(newest)));
  dispatchEvent(new Event(CHANGED));
}

/** Removes all drafts at logout: the next user of this computer must not find them. */
export function removeDrafts(): void {
  localStorage.removeItem(STORAGE_KEY);
}

/** Removes the drafts of other agents who used this browser and were logged out for being idle. */
export function removeDraftsOfOthers(agent: string): void {
  const own = Object.entries(readDrafts()).filter(([name]) =>
    name.startsWith(`${JSON.stringify([agent]).slice(0, -1)},`),
  );
  localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(own)));
}

/** Puts a text that was being sent when the page closed back into its field, to be sent again with the same id. */
export function restoreUnsent(key: DraftKey): void {
  changeDraft(key, (draft) => (draft.sending ? withText(draft, draft.sending.text) : draft));
}

/** Inserts a text before anything written since. */
export const withText = (draft: Draft, text: string): Draft =>
  draft.text === text || draft.text.startsWith(`${text}\n`)
    ? draft
    : { ...draft, text: draft.text === '' ? text : `${text}\n${draft.text}` };

/** Removes a text that {@link withText} inserted. */
export const withoutText = (draft: Draft, text: string): Draft => ({
  ...draft,
  text:
    draft.text === text
      ? ''
      : draft.text.startsWith(`${text}\n`)
        ? draft.text.slice(text.length + 1)
        : draft.text,
});

const nameOf = ({ agent, conversation, mode }: DraftKey): string =>
  JSON.stringify([agent, conversation, mode]);

function readDrafts(): Record<string, Draft> {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<string, Draft>;
  } catch {
    return {};
  }
}

const readDraft = (key: DraftKey): Draft => readDrafts()[nameOf(key)] ?? EMPTY;
