import { hash } from 'node:crypto';

/** Keeps one text at each of many places. */
export interface KeptTexts {
  /** Puts a text at a place, over the one that was there. */
  put(place: number, text: string): void;
  /** Whether a text is the one at a place that has one. */
  isAt(place: number, text: string): boolean;
}

/** Longer texts are kept as their digest. */
const LONGEST = 160;
const BYTES_PER_PLACE = LONGEST * 2;
const PLACES_PER_PAGE = 1024;

/**
 * Makes {@link KeptTexts}: in plain bytes, in pages made as they are needed. As strings they would survive every
 * collection of young memory, which V8 answers by making that memory larger than the processor's caches; all code
 * then runs slower, not only this.
 */
export function createKeptTexts(maxPlaces: number): KeptTexts {
  const pages: Buffer[] = [];
  const lengths = new Uint8Array(maxPlaces);
  const pageOf = (place: number): Buffer => {
    const number = Math.floor(place / PLACES_PER_PAGE);
    const page = pages[number] ?? Buffer.alloc(Math.min(PLACES_PER_PAGE, maxPlaces) * BYTES_PER_PLACE);
    pages[number] = page;
    return page;
  };
  const startOf = (place: number): number => (place % PLACES_PER_PAGE) * BYTES_PER_PLACE;

  return {
    put(place, text) {
      const kept = shortened(text);
      lengths[place] = kept.length;
      pageOf(place).write(kept, startOf(place), 'utf16le');
    },
    isAt(place, text) {
      const kept = shortened(text);
      if (lengths[place] !== kept.length) return false;
      const start = startOf(place);
      return pageOf(place).toString('utf16le', start, start + kept.length * 2) === kept;
    },
  };
}

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : hash('sha512', text, 'base64url');
