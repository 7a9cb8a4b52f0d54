const KEPT_AS = 'handoff-desk-draft';
/** Drafts kept at most; the oldest go. */
const MOST = 100;

type Drafts = Record<string, string>;

/** Whose draft it is, where, and for whom: a note must never turn into a reply. */
export interface DraftPlace {
  readonly agent: string;
  readonly conversation: string;
  readonly mode: 'reply' | 'note';
}

const keyOf = ({ agent, conversation, mode }: DraftPlace): string =>
  JSON.stringify([agent, conversation, mode]);

const read = (): Drafts => {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}') as Drafts;
  } catch {
    return {};
  }
};

/** What was written in a conversation and not sent, also before the page was loaded anew. */
export const draftOf = (place: DraftPlace): string => read()[keyOf(place)] ?? '';

/** Keeps what is written; an empty draft is forgotten. */
export function keepDraft(place: DraftPlace, text: string): void {
  const key = keyOf(place);
  const { [key]: _, ...others } = read();
  const kept = text === '' ? others : { ...others, [key]: text };
  const entries = Object.entries(kept).slice(-MOST);
  localStorage.setItem(KEPT_AS, JSON.stringify(Object.fromEntries(entries)));
}
