import { en, type TextName } from './en.js';
import { zh } from './zh.js';

export type { TextName } from './en.js';

/** The languages, each by its own name. */
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;

export type Language = keyof typeof LANGUAGES;

const TEXTS: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = { en, zh };
const STORAGE_KEY = 'handoff-desk-language';

/** The language that the agent chose, or the browser's. */
export function chosenLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === 'en' || stored === 'zh') return stored;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

let language = chosenLanguage();
document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';

/** Sets the language. The page must be rendered again. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(STORAGE_KEY, next);
  language = next;
  document.documentElement.lang = next === 'zh' ? 'zh-Hans' : 'en';
}

/** A text in the language of the page. */
export function t(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
  return fill(TEXTS[language][name], values);
}

/** Fills the values into a text. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));

/** The text of an error code of the desk, if it has a translation. */
export const errorText = (code: string): string | null => textOf(`error${code}`);

/** The text of a delivery failure, if it has a translation. */
export const failureText = (code: string): string | null => textOf(`failure${code}`);

const textOf = (name: string): string | null => (isTextName(name) ? t(name) : null);

const isTextName = (name: string): name is TextName => Object.hasOwn(en, name);

/** Formats a duration in its largest fitting unit. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return t('seconds', { count: seconds });
  if (seconds < 5_400) return t('minutes', { count: Math.round(seconds / 60) });
  return t('hours', { count: Math.round(seconds / 3_600) });
}

const DATE: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };

const FORMATS = { clock: CLOCK, date: DATE, both: { ...DATE, ...CLOCK } };

/** Cached, since the inbox shows hundreds of times and creating a format is slow. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(at: number, parts: keyof typeof FORMATS): string {
  const { lang } = document.documentElement;
  const key = `${lang} ${parts}`;
  const cached = formats.get(key) ?? new Intl.DateTimeFormat(lang, FORMATS[parts]);
  formats.set(key, cached);
  return cached.format(at);
}

const isToday = (at: number): boolean => new Date(at).toDateString() === new Date().toDateString();

/** Formats a time: without the date for today. */
export const formatTime = (at: number): string => format(at, isToday(at) ? 'clock' : 'both');

/** Formats a time: only the date, unless it is today. */
export const formatShortTime = (at: number): string => format(at, isToday(at) ? 'clock' : 'date');
