/** What stands in a log line in place of what must not be there. */
export const CENSOR = '[redacted]';

/** Names under which secrets travel. */
const SECRETS = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  'password',
  'secret',
  'token',
  'apiKey',
  'api_key',
];

/** Names under which people's words and addresses travel, in the wire's bodies and in a handler's argument. */
const PERSONAL = ['text', 'body', 'output', 'audio', 'transcript', 'email', 'phone', 'user_info', 'user'];

/** How deep below a log line's object a name is looked for. */
const LEVELS = ['', '*.', '*.*.', '*.*.*.'];

const everywhere = (names: readonly string[]): string[] =>
  LEVELS.flatMap((level) => names.map((name) => `${level}${name}`));

/** What the log may show. */
export interface RedactionPolicy {
  /** Also show what users and agents write, e-mail addresses and phone numbers. Secrets stay hidden. */
  readonly showText?: boolean;
}

/** The paths to hide, as pino's `redact` option takes them. */
export function redactPaths({ showText = false }: RedactionPolicy = {}): string[] {
  return [...everywhere(SECRETS), ...(showText ? [] : everywhere(PERSONAL))];
}
