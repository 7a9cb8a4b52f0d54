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
