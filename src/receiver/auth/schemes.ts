import parseBasic from 'basic-auth';
import { configError } from '../../internal/index.js';
import type { AuthRequest, AuthScheme } from './scheme.js';
import { checkSecret, createMatcher } from './secret.js';

const REALM = 'realm="handoff-kit"';
/** A webhook username may have spaces in it, and the service sends it as it is. */
const BEARER = /^bearer +(\S.*)$/i;

/** Short tokens can be guessed. */
const SHORTEST_PATH_TOKEN = 16;

/** The request carries `Authorization: Bearer <token>`. */
export function bearer(token: string): AuthScheme {
  checkSecret(token, 'the bearer token');
  const matches = createMatcher(token);
  return {
    name: 'bearer',
    challenge: `Bearer ${REALM}`,
    inPath: false,
    verify({ authorization }) {
      const candidate = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
      return candidate !== undefined && matches(candidate);
    },
  };
}

/** The request carries HTTP Basic credentials. */
export function basic({ username, password }: { username: string; password: string }): AuthScheme {
  checkSecret(username, 'the username');
  checkSecret(password, 'the password');
  if (username.includes(':')) {
    throw configError('the username has a colon, which HTTP Basic cannot carry.');
  }
  const credentials = `${username}:${password}`;
  const matches = createMatcher(credentials);
  /** Nearly every sender writes the header this way, which then need not be taken apart to be compared. */
  const matchesAsWritten = createMatcher(`Basic ${Buffer.from(credentials).toString('base64')}`);
  return {
    name: 'basic',
    challenge: `Basic ${REALM}`,
    inPath: false,
    verify({ authorization }) {
      if (authorization === undefined) return false;
      if (matchesAsWritten(authorization)) return true;
      const given = parseBasic.parse(authorization);
      return given !== undefined && matches(`${given.name}:${given.pass}`);
    },
  };
}

/**
 * The scheme of the message webhook, as set up in the agent's integration settings: with a username alone the
 * service sends it as Bearer; with a username and a secret it sends both as Basic.
 */
export function webhookUser({
  username,
  secret,
}: {
  username: string;
  secret?: string | undefined;
}): AuthScheme {
  checkSecret(username, 'the webhook username');
  if (secret === undefined) return bearer(username);
  checkSecret(secret, 'the webhook secret');
  return basic({ username, password: secret });
}

/**
 * An unguessable segment of the path, for handoff requests, which carry no credentials in known deployments:
 * the endpoints are at `/<token>/conversation/establish` and so on, and nowhere else.
 */
export function pathToken(token: string): AuthScheme {
  checkSecret(token, 'the path token');
  if (token.length < SHORTEST_PATH_TOKEN || !/^[\w.~-]+$/.test(token)) {
    throw configError(
      `the path token needs at least ${SHORTEST_PATH_TOKEN} characters, all of them letters, digits, "-", "_", "." or "~". Make one with: openssl rand -hex 24`,
    );
  }
  const matches = createMatcher(token);
  return {
    name: 'path token',
    challenge: `PathToken ${REALM}`,
    inPath: true,
    verify: ({ pathToken: candidate }: AuthRequest) => candidate !== undefined && matches(candidate),
  };
}

/** Everybody may send. Say so only where something else keeps strangers out: a private network, a proxy. */
export function noAuth(): AuthScheme {
  return { name: 'none', challenge: '', inPath: false, verify: () => true };
}
