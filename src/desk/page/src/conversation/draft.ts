/**
 * The text of a field, from the first letter to the desk's answer:
 *
 *     empty ── edit ──> edited ── send ──> sending ── accepted ──> empty, or edited
 *                          ^                  │
 *                          │                  ├── undone ──> edited
 *                          │                  v
 *                        send again <────── failed ── edit, accepted ──> empty, or failed
 *
 * A text that failed is in the field again and nowhere else: what the agent replaces or deletes there is gone. Its id
 * stays, so that a repeat after a lost answer is recognised.
 *
 * @module
 */

export type Draft =
  | { readonly state: 'empty' | 'edited'; readonly text: string }
  /** `sent` is on its way; `text` was written since. */
  | { readonly state: 'sending'; readonly text: string; readonly id: string; readonly sent: string }
  /** `isWhole`: the text is exactly the one that failed, so that sending it again is a repeat. */
  | { readonly state: 'failed'; readonly text: string; readonly id: string; readonly isWhole: boolean };

export const EMPTY: Draft = { state: 'empty', text: '' };

/** A draft of a text that was never sent. */
export const draftOf = (text: string): Draft => (text === '' ? EMPTY : { state: 'edited', text });

/** The agent changes the text. */
export function edit(draft: Draft, text: string): Draft {
  if (draft.state === 'sending') return { ...draft, text };
  if (draft.state !== 'failed' || text === '') return draftOf(text);
  return { ...draft, text, isWhole: draft.isWhole && text === draft.text };
}

/** Another text is put in front of the field's. */
export const prepend = (draft: Draft, text: string): Draft => edit(draft, joined(text, draft.text));

/** The text leaves the field. A repeat keeps its id, so that the desk takes it once; any other text gets the new one. */
export function send(draft: Draft, newId: string): Draft {
  if (draft.state === 'empty' || draft.state === 'sending') return draft;
  const id = draft.state === 'failed' && draft.isWhole ? draft.id : newId;
  return { state: 'sending', text: '', id, sent: draft.text };
}

/** The desk refused a text or did not answer. */
export const fail = (draft: Draft, id: string): Draft =>
  draft.state === 'sending' && draft.id === id ? interrupt(draft) : draft;

/** The page that was sending is gone, so that nobody knows whether the desk has the text. */
export function interrupt(draft: Draft): Draft {
  if (draft.state !== 'sending') return draft;
  const { text, id, sent } = draft;
  return { state: 'failed', text: joined(sent, text), id, isWhole: text === '' };
}

/** The desk has a text, as its answer or a live update says. */
export function accept(draft: Draft, id: string, text: string): Draft {
  if (draft.state === 'sending' && draft.id === id) return draftOf(draft.text);
  if (draft.state !== 'failed' || draft.id !== id) return draft;
  if (draft.text === text) return EMPTY;
  return draftOf(draft.text.startsWith(`${text}\n`) ? draft.text.slice(text.length + 1) : draft.text);
}

/** The agent takes a text back before it was sent. */
export function undo(draft: Draft, id: string): Draft {
  if (!('id' in draft) || draft.id !== id) return draft;
  return draftOf(interrupt(draft).text);
}

const joined = (first: string, second: string): string => (second === '' ? first : `${first}\n${second}`);
