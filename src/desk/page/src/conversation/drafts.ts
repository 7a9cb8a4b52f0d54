import { useEffect, useState } from 'preact/hooks';
import { type Draft, draftOf, EMPTY } from './draft.js';

const STORAGE_KEY = 'handoff-desk-draft';
/** Older drafts are dropped beyond this. */
const MAX_DRAFTS = 100;

/** Drafts are separate by agent, conversation and mode, so that a note never becomes a reply. */
export interface DraftKey {
  readonly agent: string;
  readonly conversation: string;
  readonly mode: 'reply' | 'note';
}

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
  const { [name]: _current, ...others } = readDrafts();
  const next = change(readDraft(key));
  const newest = Object.entries(next.state === 'empty' ? others : { ...others, [name]: next }).slice(
    -MAX_DRAFTS,
  );
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

const nameOf = ({ agent, conversation, mode }: DraftKey): string =>
  JSON.stringify([agent, conversation, mode]);

function readDrafts(): Record<string, Draft> {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<string, Draft>;
  } catch {
    return {};
  }
}

/** Drafts of earlier versions have no state; their text is kept. */
function readDraft(key: DraftKey): Draft {
  const stored = readDrafts()[nameOf(key)] ?? EMPTY;
  return 'state' in stored ? stored : draftOf((stored as Draft).text);
}
