import { useState } from 'preact/hooks';

const STORAGE_KEY = 'handoff-desk-draft';
/** Older drafts are dropped beyond this. */
const MAX_DRAFTS = 100;

/** Drafts are separate by agent, conversation and mode, so that a note never becomes a reply. */
export interface DraftKey {
  readonly agent: string;
  readonly conversation: string;
  readonly mode: 'reply' | 'note';
}

/** The draft of a text field, which survives reloads, and a function to change it. */
export function useDraft(key: DraftKey): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState({ key, text: readDraft(key) });
  const isCurrent = draft.key.mode === key.mode && draft.key.conversation === key.conversation;
  const text = isCurrent ? draft.text : readDraft(key);
  const change = (next: string): void => {
    saveDraft(key, next);
    setDraft({ key, text: next });
  };
  return [text, change];
}

const nameOf = ({ agent, conversation, mode }: DraftKey): string =>
  JSON.stringify([agent, conversation, mode]);

function readDrafts(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

const readDraft = (key: DraftKey): string => readDrafts()[nameOf(key)] ?? '';

function saveDraft(key: DraftKey, text: string): void {
  const name = nameOf(key);
  const { [name]: _, ...others } = readDrafts();
  const drafts = text === '' ? others : { ...others, [name]: text };
  const newest = Object.entries(drafts).slice(-MAX_DRAFTS);
  localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(newest)));
}
