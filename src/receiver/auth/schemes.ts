import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseBasic } from 'basic-auth';
import { checkOptionNames, configError, HandoffKitError } from '../../internal/index.js';
import type { WebhookEndpoint } from '../../protocol/index.js';

/** The part of a request that a scheme checks: headers and path. The body is not read yet. */
export interface AuthRequest {
  /** The endpoint; `root` for the address of the mount, or of moved handoff endpoints. */
  readonly endpoint: WebhookEndpoint | 'root';
  /** The `Authorization` header; `undefined` when there is none, or several. */
  readonly authorization: string | undefined;
  /** The path segment in the place of a token, decoded. */
  readonly pathToken: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The IP address of the connection. */
  readonly remoteAddress: string | undefined;
}

/** A way to recognise the platform. Created by `webhookUser`, `bearer`, `basic`, `pathToken` and `noAuth`. */
export interface AuthScheme {
  /** The scheme's name, for logs. Never a secret. */
  readonly name: string;
  /** The value of `WWW-Authenticate` when it fails. */
  readonly challenge: string;
  /** Whether the credential is a segment of the path. */
  readonly inPath: boolean;
  /** Whether the request is the platform's. */
  verify(request: AuthRequest): boolean | Promise<boolean>;
}

/** A check of your own. Anything but `true` refuses the request; an error is answered 500. */
export type AuthFunction = (request: AuthRequest) => boolean | Promise<boolean>;

/** One scheme or function, or a list of which one must pass, for rotating a secret. */
export type AuthChoice = AuthScheme | AuthFunction | readonly (AuthScheme | AuthFunction)[];

const REALM = 'realm="handoff-kit"';

/** What each scheme compares requests with. Never log it: that is why it is not a field of the scheme. */
const credentials = new WeakMap<AuthScheme, string>();

/** Schemes of a username whose secret was given, but empty. */
const withEmptySecret = new WeakSet<AuthScheme>();

function withCredential(scheme: AuthScheme, credential: string): AuthScheme {
  credentials.set(scheme, credential);
  return scheme;
}

/** A webhook username may contain spaces, and the platform sends it unescaped. */
const BEARER_HEADER = /^bearer +(\S.*)$/i;

/** Shorter tokens can be guessed. */
const SHORTEST_PATH_TOKEN = 16;

/**
 * The request carries `Authorization: Bearer <token>`.
 *
 * @example createReceiver({ auth: { message: bearer(token), handoff: false } });
 */
export function bearer(token: string): AuthScheme {
  checkSecret(token, 'the bearer token');
  // Node shows the bytes of a header as Latin-1.
  const matches = createMatcher(Buffer.from(token).toString('latin1'));
  const scheme: AuthScheme = {
    name: 'bearer',
    challenge: `Bearer ${REALM}`,
    inPath: false,
    verify({ authorization }) {
      const candidate = authorization === undefined ? undefined : BEARER_HEADER.exec(authorization)?.[1];
      return candidate !== undefined && matches(candidate);
    },
  };
  return withCredential(scheme, `bearer ${token}`);
}

/**
 * The request carries HTTP Basic credentials.
 *
 * @example createReceiver({ auth: { message: basic({ username, password }), handoff: false } });
 */
export function basic(options: { username: string; password: string }): AuthScheme {
  checkOptionNames('basic', options, ['username', 'password']);
  const { username, password } = options;
  checkSecret(username, 'the username');
  checkSecret(password, 'the password');
  if (username.includes(':')) {
    throw configError('the username has a colon, which HTTP Basic cannot carry.');
  }
  const pair = `${username}:${password}`;
  const matches = createMatcher(pair);
  const scheme: AuthScheme = {
    name: 'basic',
    challenge: `Basic ${REALM}`,
    inPath: false,
    verify({ authorization }) {
      const given = authorization === undefined ? undefined : parseBasic(authorization);
      return given !== undefined && matches(`${given.name}:${given.pass}`);
    },
  };
  return withCredential(scheme, `basic ${pair}`);
}

/**
 * The credentials of the message webhook, as set up in the bot's integration settings: the platform sends a
 * username alone as Bearer, and a username with a secret as Basic. An empty secret, as an empty environment variable
 * gives it, is no secret; the receiver logs a warning.
 *
 * @example createReceiver({ auth: { message: webhookUser({ username, secret }), handoff: pathToken(token) } });
 */
export function webhookUser(options: { username: string; secret?: string | undefined }): AuthScheme {
  checkOptionNames('webhookUser', options, ['username', 'secret']);
  const { username, secret } = options;
  checkSecret(username, 'the webhook username');
  if (secret === undefined || secret === '') {
    const scheme = bearer(username);
    if (secret === '') withEmptySecret.add(scheme);
    return scheme;
  }
  checkSecret(secret, 'the webhook secret');
  return basic({ username, password: secret });
}

/**
 * An unguessable segment of the path, for handoff requests, which carry no credentials on known platforms: the
 * endpoints are at `/<token>/conversation/establish` and so on, and nowhere else.
 *
 * @example createReceiver({ auth: { message: false, handoff: pathToken(token) } });
 */
export function pathToken(token: string): AuthScheme {
  checkSecret(token, 'the path token');
  if (token.length < SHORTEST_PATH_TOKEN || !/^[\w.~-]+$/.test(token)) {
    throw configError(
      `the path token needs at least ${SHORTEST_PATH_TOKEN} characters, all of them letters, digits, "-", "_", "." or "~". Make one with: openssl rand -hex 24`,
    );
  }
  const matches = createMatcher(token);
  const scheme: AuthScheme = {
    name: 'path token',
    challenge: `PathToken ${REALM}`,
    inPath: true,
    verify: ({ pathToken: candidate }: AuthRequest) => candidate !== undefined && matches(candidate),
  };
  return withCredential(scheme, `path ${token}`);
}

const NO_AUTH = 'none';

/** Every request passes. Use it only behind a private network or a proxy that authenticates. */
export function noAuth(): AuthScheme {
  return { name: NO_AUTH, challenge: '', inPath: false, verify: () => true };
}

/** Candidates are compared in blocks of this many bytes, so that timing does not reveal the secret's length. */
const BLOCK = 128;

/**
 * Compares candidates with a secret in constant time. Both are copied into buffers of one size; that is as safe as
 * comparing digests, and costs no hashing.
 */
function createMatcher(secret: string): (candidate: string) => boolean {
  const size = Math.ceil(Buffer.byteLength(secret) / BLOCK) * BLOCK;
  const expected = Buffer.alloc(size);
  expected.write(secret);
  const given = Buffer.alloc(size);
  let dirty = 0;
  return (candidate) => {
    const written = given.write(candidate);
    if (written < dirty) given.fill(0, written, dirty);
    dirty = written;
    const same = timingSafeEqual(given, expected);
    return candidate.length === secret.length && same;
  };
}

/** Throws for invalid secrets: most often a setting that was left empty or pasted with a line break. */
function checkSecret(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string' || value === '') {
    throw configError(`${what} is missing or empty. Is its environment variable set?`);
  }
  if (value.trim() !== value) {
    throw configError(`${what} begins or ends with white space. Was it pasted with some?`);
  }
  if (/\p{Cc}/u.test(value)) {
    throw configError(`${what} has a control character, which no header can carry. Was it pasted with one?`);
  }
}

/** The check in front of a group of endpoints, which passes if any of its schemes does. */
export interface Guard {
  passes(request: AuthRequest): Promise<boolean>;
  /** Whether a path segment is a token of one of the schemes. */
  isToken(segment: string): boolean;
  /** Whether any scheme has its credential in the path. */
  readonly hasPathToken: boolean;
  /** Whether a username was given with an empty secret. */
  readonly hasEmptySecret: boolean;
  /** What the schemes look for in a request, for logs. */
  readonly expects: readonly string[];
  /** Whether every request passes. */
  readonly isOpen: boolean;
  /** The credentials of all schemes; `null` if one has none that is known here, such as a function. */
  readonly credentials: readonly string[] | null;
  /** The values of `WWW-Authenticate`. */
  readonly challenges: readonly string[];
}

export const BASIC = 'Authorization: Basic';
export const BEARER = 'Authorization: Bearer';

/** By the scheme's name. */
const EXPECTED: Readonly<Record<string, string>> = {
  basic: BASIC,
  bearer: BEARER,
  'path token': 'a token in the path',
  function: 'what your own check accepts',
};

const CHOICES = `
    webhookUser({ username, secret })   the username and secret of the bot's webhook settings
    bearer(token)                       Authorization: Bearer <token>
    basic({ username, password })       HTTP Basic
    pathToken(token)                    an unguessable segment of the path
    (request) => boolean                your own check
    noAuth()                            every request, where something else keeps strangers out
    [one, another]                      any of several, to rotate a secret
    false                               do not mount these endpoints`;

/**
 * Creates the guard of a group from the developer's choice; `null` for `false`. A missing choice is an error, which names
 * the `option`.
 */
export function createGuard(
  group: 'message' | 'handoff',
  choice: AuthChoice | false | undefined,
  option: string,
): Guard | null {
  if (choice === false) return null;
  const choices: readonly unknown[] = Array.isArray(choice) ? choice : [choice];
  const schemes = choices.map(toScheme).filter((scheme) => scheme !== null);
  if (schemes.length === 0 || schemes.length < choices.length) {
    throw new HandoffKitError(
      'AUTH_CHOICE_MISSING',
      `createReceiver needs to know who may send ${group === 'message' ? 'messages' : 'handoff requests'}: set ${option} to one of${CHOICES}`,
    );
  }
  const known = schemes.flatMap((scheme) => credentials.get(scheme) ?? []);
  return {
    async passes(request) {
      for (const scheme of schemes) if ((await scheme.verify(request)) === true) return true;
      return false;
    },
    isToken: (segment) =>
      schemes.some((scheme) => scheme.inPath && scheme.verify(withToken(segment)) === true),
    hasPathToken: schemes.some(({ inPath }) => inPath),
    hasEmptySecret: schemes.some((scheme) => withEmptySecret.has(scheme)),
    expects: [...new Set(schemes.map(({ name }) => EXPECTED[name] ?? name))],
    isOpen: schemes.some(({ name }) => name === NO_AUTH),
    credentials: known.length === schemes.length ? known : null,
    challenges: schemes.map(({ challenge }) => challenge).filter((challenge) => challenge !== ''),
  };
}

function toScheme(choice: unknown): AuthScheme | null {
  if (typeof choice === 'function') {
    return { name: 'function', challenge: `Bearer ${REALM}`, inPath: false, verify: choice as AuthFunction };
  }
  const isScheme = typeof choice === 'object' && choice !== null && 'verify' in choice;
  return isScheme && typeof choice.verify === 'function' ? (choice as AuthScheme) : null;
}

const withToken = (token: string): AuthRequest => ({
  endpoint: 'root',
  authorization: undefined,
  pathToken: token,
  headers: {},
  remoteAddress: undefined,
});
