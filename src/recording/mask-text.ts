/** What stands for a letter of a script; any other letter becomes `x`. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Latin}/u, 'x'],
  [/\p{Script=Han}/u, '字'],
  [/\p{Script=Hiragana}/u, 'あ'],
  [/\p{Script=Katakana}/u, 'ア'],
  [/\p{Script=Hangul}/u, '가'],
  [/\p{Script=Cyrillic}/u, 'ж'],
  [/\p{Script=Greek}/u, 'ω'],
  [/\p{Script=Arabic}/u, 'ع'],
  [/\p{Script=Hebrew}/u, 'א'],
  [/\p{Script=Devanagari}/u, 'क'],
  [/\p{Script=Thai}/u, 'ก'],
];

const JOINER = '\u200d';

/** Emoji keep their joiners, so that a sequence stays one. Invisible characters can carry text, so they all become one. */
function maskCharacter(character: string): string {
  if (/[\p{L}]/u.test(character)) return SCRIPTS.find(([script]) => script.test(character))?.[1] ?? 'x';
  if (/\p{N}/u.test(character)) return '0';
  if (/\p{M}/u.test(character)) return character === '\ufe0f' ? character : '\u0301';
  if (/[\p{So}\p{Emoji_Modifier}\p{Regional_Indicator}]/u.test(character)) {
    return character.length === 2 ? '🙂' : '☺';
  }
  if (/[\p{Cf}\p{Co}\p{Cn}]/u.test(character)) return character === JOINER ? character : '\u200b';
  return /\p{Cs}/u.test(character) ? '?' : character;
}

const PLAIN = /^[\p{P}\p{Zs}\s$+<=>^`|~]*$/u;

/**
 * Replaces every letter, digit and symbol by another of its script. Length (in UTF-16 units), spaces and punctuation stay,
 * and masking a masked text changes nothing.
 */
export function maskText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/[a-z]/gi, 'x').replace(/[^\p{P}\p{Zs}\sx]/gu, (character) => {
    const mask = maskCharacter(character);
    return mask.repeat(character.length / mask.length);
  });
}
