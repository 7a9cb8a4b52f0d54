import type { CheckedSettings } from './settings.js';

/** What the rules need to know of a mail. */
export interface SenderHeaders {
  /** Every address in every `From` line. */
  readonly from: readonly string[];
  /** The `Authentication-Results` headers, the topmost first. */
  readonly authenticationResults: readonly string[];
}

/**
 * Whether a mail is from an agent: `null` if it is, otherwise what is wrong. Anybody can write any `From` line, so it
 * counts only when the trusted server has verified it.
 */
export function whyRefused(
  { from, authenticationResults }: SenderHeaders,
  { agents, trustedServer }: Pick<CheckedSettings, 'agents' | 'trustedServer'>,
): string | null {
  const [address, ...others] = from.map((each) => each.toLowerCase());
  if (address === undefined || others.length > 0) return 'it does not have one sender';
  const domain = domainOf(address);
  if (!agents.some((rule) => rule === address || rule === `@${domain}`))
    return 'its sender is not among the agents';
  if (trustedServer === null) return null;
  // Only the topmost: a sender can add such headers, and a server adds its own above them.
  const results = authenticationResults
    .map(parseAuthenticationResults)
    .find(({ server }) => server === trustedServer);
  if (!results) return `it has no Authentication-Results of ${trustedServer}`;
  return results.methods.some((method) => verifies(method, address, domain))
    ? null
    : `its sender is not verified by ${trustedServer}`;
}

/** One result of an `Authentication-Results` header (RFC 8601). */
interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** Such as `header.from`. */
  readonly properties: Readonly<Record<string, string>>;
}

function verifies({ method, result, properties }: MethodResult, address: string, domain: string): boolean {
  if (result !== 'pass') return false;
  if (method === 'dmarc') return properties['header.from'] === domain;
  if (method === 'dkim') {
    const signer = properties['header.d'] ?? domainOf(properties['header.i'] ?? '');
    return isAligned(signer, domain);
  }
  // The sender has logged in at the trusted server itself.
  if (method === 'auth') return [properties['smtp.auth'], properties['smtp.mailfrom']].includes(address);
  return false;
}

/** The signer is the domain of the sender, or one above it. */
const isAligned = (signer: string, domain: string): boolean =>
  signer.includes('.') && (domain === signer || domain.endsWith(`.${signer}`));

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Senders can add such headers, too, of any length. */
const MAX_HEADER = 8_000;

/** Parses an `Authentication-Results` header. */
export function parseAuthenticationResults(header: string): {
  readonly server: string;
  readonly methods: readonly MethodResult[];
} {
  const [first = '', ...rest] = withoutComments(header.slice(0, MAX_HEADER)).toLowerCase().split(';');
  const [server = ''] = first.trim().split(/\s+/);
  return { server, methods: rest.flatMap(parseMethod) };
}

function parseMethod(text: string): MethodResult[] {
  const pairs = [...text.matchAll(/([\w.-]+)(?:\s*\/\s*\d+)?\s*=\s*(\S+)/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  const [main, ...properties] = pairs;
  return main ? [{ method: main[0], result: main[1], properties: Object.fromEntries(properties) }] : [];
}

/**
 * Comments stand in parentheses, which can be nested, and can hold anything, such as `dmarc=pass`. So can a quoted
 * value, for instance the envelope address of a forger: its separators are replaced.
 */
function withoutComments(text: string): string {
  let depth = 0;
  let isQuoted = false;
  let out = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '"' && depth === 0) isQuoted = !isQuoted;
    else if (isQuoted) out += /[\w@.+-]/.test(character) ? character : '_';
    else if (character === '(') depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (depth === 0) out += character;
  }
  return out;
}
