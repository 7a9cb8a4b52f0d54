import { z } from 'zod';

/** The names of a setting, and what it is for. */
export interface SettingInfo {
  /** Its name in the environment; also allowed in a config file. */
  readonly env: string;
  /** Its name in a config file, and of the value of its flag. */
  readonly key: string;
  /** Its flag, in commander's notation. */
  readonly flag: string;
  /** One line for the help and for `docs/settings.md`. */
  readonly help: string;
  readonly isRequired: boolean;
}

/** Texts of settings before validation, by the name in the environment. */
export type SettingTexts = Readonly<Record<string, string | undefined>>;

/** A setting by its name in the environment, and what is wrong with it; the message follows the name. */
export type SettingIssue = readonly [env: string, message: string];

/** The settings of a schema, in its order. */
export const settingsOf = ({ shape }: z.ZodObject): readonly SettingInfo[] =>
  Object.values(shape).map(infoOf);

/** A setting is described as in `PORT=<number>: the port to listen on`; without a value if its flag has none. */
const DESCRIPTION = /^([A-Z_]+)(?:=(<\w+>))?: (.+)$/;

function infoOf(schema: z.core.$ZodType): SettingInfo {
  const { description = '' } = z.globalRegistry.get(schema) ?? {};
  const [, env = '', value = '', help = ''] = DESCRIPTION.exec(description) ?? [];
  const words = env.toLowerCase();
  return {
    env,
    key: words.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    flag: `--${words.replaceAll('_', '-')} ${value}`.trim(),
    help,
    isRequired: schema._zod.optin !== 'optional',
  };
}

/** The texts of a schema's settings, by its keys. */
export const valuesOf = ({ shape }: z.ZodObject, texts: SettingTexts): SettingTexts =>
  Object.fromEntries(
    Object.entries(shape)
      .map(([key, schema]) => [key, texts[infoOf(schema).env]] as const)
      .filter(([, text]) => text !== undefined),
  );

/** Validates texts against a schema of settings. `missing` is the message for settings without a text. */
export function parseTexts<Schema extends z.ZodObject>(
  schema: Schema,
  texts: SettingTexts,
  missing?: string,
): { readonly data: z.output<Schema> | undefined; readonly issues: readonly SettingIssue[] } {
  const { data, error } = schema.safeParse(valuesOf(schema, texts), {
    error: ({ input }) => (input === undefined ? missing : undefined),
  });
  const issues = new Map<string, string>();
  for (const { path, message } of error?.issues ?? []) {
    const own = schema.shape[String(path[0])];
    const env = own ? infoOf(own).env : '';
    if (!issues.has(env)) issues.set(env, message);
  }
  return { data, issues: [...issues] };
}

/** A text of a form. */
export const matching = (form: RegExp, message: string) => z.string().regex(form, message);

/** Texts separated by commas: several words, or two secrets during a rotation. */
export const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));

/** Names with values, such as `a=1, b=2`, each of which has the form. */
export const pairs = (form: RegExp, message: string) =>
  list(matching(form, message)).transform((parts) => Object.fromEntries(parts.map(pairOf)));

function pairOf(part: string): [string, string] {
  const at = part.lastIndexOf('=');
  return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

/** An http or https URL without user, password, query and fragment, and without a slash at the end. */
export const httpUrl = (message: string) =>
  z
    .string()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      return /^https?:$/.test(url?.protocol ?? '') && !/[?#]/.test(text) && !url?.username && !url?.password;
    }, message)
    .transform((text) => text.replace(/\/+$/, ''));

/** A whole number. */
export function wholeNumber(min: number, max: number, more = '') {
  const message = `must be a whole number from ${min} to ${max}${more}.`;
  const isInRange = (text: string): boolean => Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .refine(isInRange, message)
    .transform(Number);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_024, mb: 1_048_576, ms: 1, s: 1_000 };

/** A size or a time: a number with one of the units. */
const quantity = (units: string, min: number, max: number, message: string) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,9}(${units})$`, 'i'), message)
    .transform((text) => Number.parseInt(text, 10) * (UNITS[text.replace(/^\d+/, '').toLowerCase()] ?? 1))
    .pipe(z.number().min(min, message).max(max, message));

/** A size in bytes. */
export const size = (max: number, message: string) => quantity('b|kb|mb|', 1, max, message);

/** A time of at most an hour, in milliseconds. */
export const duration = (message: string, min = 1) => quantity('ms|s', min, 3_600_000, message);
