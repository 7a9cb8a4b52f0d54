import { hash } from 'node:crypto';

/** Keeps one text at each of many places. */
export interface KeptTexts {
  /** Puts a text at a place, over the one that was there. */
  put(place: number, text: string): void;
  /** Whether a text is the one at a place that has one. */
  isAt(place: number, text: string): boolean;
}

/** Texts that are longer, or not Latin-1, are kept as their digest. */
const LONGEST = 160;
const PLACES_PER_PAGE = 1024;

/**
 * Makes {@link KeptTexts}: in plain numbers, in pages made as they are needed. As strings they would survive every
 * collection of young memory, which V8 answers by making that memory larger than the processor's caches; all code
 * then runs slower, not only this.
 */
export function createKeptTexts(maxPlaces: number): KeptTexts {
  const pages: Uint8Array[] = [];
  const lengths = new Uint8Array(maxPlaces);
  const pageOf = (place: number): Uint8Array => {
    const number = Math.floor(place / PLACES_PER_PAGE);
    const page = pages[number] ?? new Uint8Array(Math.min(PLACES_PER_PAGE, maxPlaces) * LONGEST);
    pages[number] = page;
    return page;
  };
  const startOf = (place: number): number => (place % PLACES_PER_PAGE) * LONGEST;

  return {
    put(place, text) {
      const kept = asKept(text);
      const page = pageOf(place);
      const start = startOf(place);
      lengths[place] = kept.length;
      for (let at = 0; at < kept.length; at += 1) page[start + at] = kept.charCodeAt(at);
    },
    isAt(place, text) {
      const kept = asKept(text);
      if (lengths[place] !== kept.length) return false;
      const page = pageOf(place);
      const start = startOf(place);
      for (let at = 0; at < kept.length; at += 1) if (page[start + at] !== kept.charCodeAt(at)) return false;
      return true;
    },
  };
}

const asKept = (text: string): string =>
  text.length <= LONGEST && isLatin1(text) ? text : hash('sha512', text, 'base64url');

function isLatin1(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0xff) return false;
  return true;
}
