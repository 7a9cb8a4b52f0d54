/** A message of an agent in a chat that colleagues share. */
export interface AgentMessage {
  /** Without the word that closes. */
  readonly text: string;
  /** Whether it is a note for colleagues. */
  readonly internal: boolean;
  /** Whether it ends the conversation. */
  readonly closes: boolean;
}

/** How agents mark notes and closes. */
export interface AgentMessageRules {
  /** A message that begins with it is a note, such as `//`. */
  readonly insidePrefix: string;
  /** Words that close the conversation at the end of a message, such as `!close`. */
  readonly closeWords: readonly string[];
}

/** What chats put before a text: white space, invisible characters, bullets, numbers, quotes and styles. */
const DECORATION = /^(?:[\s\p{Cf}•◦‣⁃∙·・▪▫■□●○*_~`>|–—,:;-]|\d{1,3}[.)、])/u;

/** What may follow a word that closes, which may itself end with a mark. */
const ENDS = [/[\s\p{Cf}]*$/u, /[\s\p{Cf}.。!]*$/u];

/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

const WORD_END = /[\p{L}\p{N}\p{M}_]$/u;

/** Full-width and other forms of a character are the same. */
const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * Reads a chat message of an agent: a note for colleagues, which begins with the prefix or with a mention, or a reply,
 * perhaps with a word that closes the conversation. In any script, with full-width characters and behind bullets. In
 * doubt it is a note: one that leaks to the user is worse than a reply held back.
 *
 * @example
 * readAgentMessage('See you! !close', { insidePrefix: '//', closeWords: ['!close'] });
 * // { text: 'See you!', internal: false, closes: true }
 */
export function readAgentMessage(
  text: string,
  { insidePrefix, closeWords }: AgentMessageRules,
): AgentMessage {
  if (isNote(plain(text), plain(insidePrefix))) return { text, internal: true, closes: false };
  for (const word of closeWords) {
    const rest = withoutLastWord(text, plain(word));
    if (rest !== null) return { text: rest, internal: false, closes: true };
  }
  return { text, internal: false, closes: false };
}

function isNote(text: string, prefix: string): boolean {
  let rest = text;
  // The prefix may itself begin with a character that counts as decoration.
  while (!rest.startsWith(prefix) && !/^@\S/u.test(rest)) {
    const [decoration] = DECORATION.exec(rest) ?? [];
    if (decoration === undefined) return false;
    rest = rest.slice(decoration.length);
  }
  return true;
}

/** The text before a word at its end; `null` if it does not end with it. */
function withoutLastWord(text: string, word: string): string | null {
  const trimmed = ENDS.map((end) => text.replace(end, '')).find((each) => plain(each).endsWith(word));
  if (trimmed === undefined) return null;
  // Full-width forms may have another length than the word.
  let start = trimmed.length;
  while (start > 0 && plain(trimmed.slice(start)) !== word) start -= 1;
  const before = trimmed.slice(0, start);
  const isPartOfWord = WORD_END.test(before) && !UNSPACED.test(before);
  return isPartOfWord ? null : before.trim();
}
