const KEPT_AS = 'handoff-desk-draft';
/** Drafts kept at most; the oldest go. */
const MOST = 100;

type Drafts = Record<string, string>;

const read = (): Drafts => {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}') as Drafts;
  } catch {
    return {};
  }
};

/** What was written in a conversation and not sent, also before the page was loaded anew. */
export const draftOf = (id: string): string => read()[id] ?? '';

/** Keeps what is written; an empty draft is forgotten. */
export function keepDraft(id: string, text: string): void {
  const { [id]: _, ...others } = read();
  const kept = text === '' ? others : { ...others, [id]: text };
  const entries = Object.entries(kept).slice(-MOST);
  localStorage.setItem(KEPT_AS, JSON.stringify(Object.fromEntries(entries)));
}
