import type { ConversationSummary } from '../../api.js';

/** Where a text was found in another, best first. */
const FIT = { words: 0, prefix: 1, part: 2 } as const;

/** An id that people cannot read, as on the page: a UUID, or another long hexadecimal number. */
const MACHINE_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{20,}/i;

/** Whether somebody who types this may mean a part of an id: no spaces, and a digit. */
const looksLikeId = (search: string): boolean => /^[\w-]{4,}$/.test(search) && /\d/.test(search);

/** How a text fits into another: as whole words, at the start of a word, or anywhere; `null` if it does not. */
function fitOf(search: string, text: string): number | null {
  const [wanted, given] = [search.toLowerCase(), text.toLowerCase()];
  let best: number | null = null;
  for (let at = given.indexOf(wanted); at >= 0; at = given.indexOf(wanted, at + 1)) {
    const isStart = !isInWord(given[at - 1]);
    const isEnd = !isInWord(given[at + wanted.length]);
    const fit = isStart ? (isEnd ? FIT.words : FIT.prefix) : FIT.part;
    if (best === null || fit < best) best = fit;
  }
  return best;
}

const isInWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/**
 * The place of a conversation among what a search found, lowest first: names and contact details by whole words, by the
 * start of a word, then messages, then parts of names. Ids count when they are complete, or when the text looks like a
 * part of one. `null`: the text is only inside of an id.
 *
 * @param message - a message in which the text was found.
 */
export function searchRankOf(
  search: string,
  { conversationId, user }: Pick<ConversationSummary, 'conversationId' | 'user'>,
  message: string | undefined,
): number | null {
  const { userId, anonymousId, email, phone } = user;
  const isName = userId !== null && !MACHINE_ID.test(userId);
  const names = [isName ? userId : null, email, phone];
  const ids = [conversationId, anonymousId, isName ? null : userId].filter(
    (id) => id !== null && (looksLikeId(search) || id.toLowerCase() === search.toLowerCase()),
  );
  const fits = [...names, ...ids].flatMap((each) => (each === null ? [] : (fitOf(search, each) ?? [])));
  const ranks = fits.map((fit) => (fit === FIT.part ? 4 : fit));
  if (message !== undefined) ranks.push(fitOf(search, message) === FIT.words ? 2 : 3);
  return ranks.length === 0 ? null : Math.min(...ranks);
}
