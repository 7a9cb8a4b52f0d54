import { useState } from 'preact/hooks';
import { type DraftPlace, draftOf, keepDraft } from './drafts.js';

/** What is written at a place, kept as it is written; and how to write. */
export function useDraft(place: DraftPlace): readonly [string, (text: string) => void] {
  const [written, setWritten] = useState({ place, text: draftOf(place) });
  const isHere = written.place.mode === place.mode && written.place.conversation === place.conversation;
  const text = isHere ? written.text : draftOf(place);
  const write = (next: string): void => {
    keepDraft(place, next);
    setWritten({ place, text: next });
  };
  return [text, write];
}
