import { en, type TextName } from './en.js';
import { zh } from './zh.js';

export type { TextName } from './en.js';

/** The languages, as they call themselves. */
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;

/** A language of the page. */
export type Language = keyof typeof LANGUAGES;

const TEXTS: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = { en, zh };
const KEPT_AS = 'handoff-desk-language';

/** The language that was chosen, else the browser's. */
export function chosenLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

let language = chosenLanguage();
document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';

/** Chooses a language; the page must be drawn anew. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(KEPT_AS, next);
  language = next;
  document.documentElement.lang = next === 'zh' ? 'zh-Hans' : 'en';
}

/** A text in the language of the page. */
export function t(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
  return TEXTS[language][name].replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
}

/** What a refusal of the desk is called in the language of the page, where it has a name of its own. */
export const refusalText = (code: string): string | null => textOf(`refused${code}`);

/** Why a reply was not sent, in the language of the page, where that has words of its own. */
export const failureText = (code: string): string | null => textOf(`why${code}`);

const textOf = (name: string): string | null => (isTextName(name) ? t(name) : null);

const isTextName = (name: string): name is TextName => Object.hasOwn(en, name);

/** A time in the words of the page: the largest unit that fits. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return t('seconds', { count: seconds });
  if (seconds < 5_400) return t('minutes', { count: Math.round(seconds / 60) });
  return t('hours', { count: Math.round(seconds / 3_600) });
}

/** A list shows hundreds of moments, and to make a format takes longer than to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(lang: string, isToday: boolean): Intl.DateTimeFormat {
  const key = `${lang} ${isToday}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(lang, {
    ...(!isToday && { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(key, made);
  return made;
}

/** A moment: the time today, with the date else. */
export function moment(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return formatOf(document.documentElement.lang, isToday).format(at);
}
