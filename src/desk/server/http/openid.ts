import { randomBytes } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { configError, HandoffKitError, type Log } from '../../../internal/index.js';
import { type AgentRole, isRole } from '../agents/roles.js';
import type { RejectionLog } from '../audit.js';
import type { BrowserSessions } from './current-agent.js';
import type { PublicUrl } from './origin.js';
import { cookieValues } from './session-cookie.js';

/** Login with an OpenID Connect provider, in addition to passwords. Needs the package `openid-client` and a public URL. */
export interface OpenIdOptions {
  /** The issuer, whose configuration is found below it. HTTPS, except on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name of the provider on the login page. Default: the host of the issuer. */
  readonly name?: string;
  /** What the desk asks the provider for. Default `openid profile email`. */
  readonly scope?: string;
  /** The claim that decides the role, such as `groups`. It may be a text or a list of texts. */
  readonly roleClaim: string;
  /**
   * The role for each value of the claim; of several, the most powerful one counts. Agents without any may not log in.
   *
   * @example roles: { support: 'agent', 'support-leads': 'supervisor', it: 'administrator' }
   */
  readonly roles: Readonly<Record<string, AgentRole>>;
}

export interface OpenIdParts {
  readonly options: OpenIdOptions;
  readonly publicUrl: PublicUrl | null;
  readonly browserSessions: BrowserSessions;
  readonly rejections: RejectionLog;
  readonly log: Log;
}

/** A login that has begun. The browser keeps it in a cookie, so that requests without a session store nothing here. */
interface BegunLogin {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

const LOGIN_MS = 10 * 60_000;
const POWER: readonly AgentRole[] = ['administrator', 'supervisor', 'agent'];

/**
 * Creates the routes of the login with OpenID Connect: the authorization code flow with PKCE, `state` and `nonce`. A
 * cookie binds a login to the browser that began it.
 */
export function createOpenIdLogin(parts: OpenIdParts): Router {
  const { publicUrl, browserSessions, rejections, log } = parts;
  const options = checkOptions(parts.options);
  if (!publicUrl) throw configError('openId needs publicUrl, since the provider sends agents back to it.');
  const redirectUri = `${publicUrl.href}/login/openid/callback`;
  const cookieName = `${publicUrl.isHttps ? '__Host-' : ''}handoff_desk_openid`;
  const provider = createProvider(options);
  const router = Router();

  const cookieOptions = {
    httpOnly: true,
    // The provider sends the browser back from another site, which `strict` would not allow.
    sameSite: 'lax' as const,
    secure: publicUrl.isHttps,
    path: '/',
  };

  const begin: RequestHandler = async (_request, response) => {
    const { client, config } = await provider();
    const [state, nonce, codeVerifier] = [randomText(), randomText(), randomText()];
    response.cookie(cookieName, state + nonce + codeVerifier, { ...cookieOptions, maxAge: LOGIN_MS });
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: options.scope ?? 'openid profile email',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    response.redirect(303, url.href);
  };

  /** The login that this browser began. */
  const findLogin = (header: string | undefined, state: string): BegunLogin | null => {
    const logins = cookieValues(header, cookieName).map((value) => ({
      state: value.slice(0, TEXT_LENGTH),
      nonce: value.slice(TEXT_LENGTH, 2 * TEXT_LENGTH),
      codeVerifier: value.slice(2 * TEXT_LENGTH),
    }));
    return logins.find((login) => login.state === state && login.codeVerifier.length === TEXT_LENGTH) ?? null;
  };

  const finish: RequestHandler = async (request, response) => {
    const { path, ip, query } = request;
    const reject = async (reason: string, status: number, text: string) => {
      await rejections.write({ agent: null, reason, path, ip });
      response.status(status).type('html').send(pageOf(text, null));
    };
    const login = findLogin(request.headers.cookie, typeof query.state === 'string' ? query.state : '');
    response.clearCookie(cookieName, cookieOptions);
    if (!login)
      return reject(
        'an answer to no login',
        400,
        'This login has expired. Go back to the desk and try again.',
      );
    const claims = await exchange(request.originalUrl, login).catch((err: unknown) => {
      log.warn({ err }, 'the OpenID provider did not confirm a login');
      return null;
    });
    if (!claims)
      return reject(
        'login failed at the provider',
        401,
        'The provider did not confirm the login. Go back to the desk and try again.',
      );
    const role = roleOf(claims[options.roleClaim], options.roles);
    if (!role)
      return reject('no role for this agent', 403, 'You may not work at this desk. Ask its administrator.');
    const agent = { id: idOf(claims), name: nameOf(claims), role };
    await browserSessions.startExternal(request, response, agent, 'login by OpenID Connect');
    // A redirect would come from the provider's site, and the browser would leave the new cookie out.
    response.type('html').send(pageOf('', `${publicUrl.href}/`));
  };

  const exchange = async (originalUrl: string, login: BegunLogin): Promise<Claims | null> => {
    const { client, config } = await provider();
    const url = new URL(redirectUri);
    url.search = new URL(originalUrl, publicUrl.origin).search;
    const tokens = await client.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: login.codeVerifier,
      expectedState: login.state,
      expectedNonce: login.nonce,
      idTokenExpected: true,
    });
    const idToken = tokens.claims();
    if (!idToken) return null;
    const info = await client.fetchUserInfo(config, tokens.access_token, idToken.sub);
    return { ...info, ...idToken };
  };

  router.get('/login/openid', begin);
  router.get('/login/openid/callback', finish);
  return router;
}

type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/** Loads the client and the provider's configuration with the first login, and again if that failed. */
function createProvider({ issuer, clientId, clientSecret }: OpenIdOptions) {
  const load = async () => {
    const client = await import('openid-client').catch((cause: unknown) => {
      throw new HandoffKitError(
        'OPENID_CLIENT_MISSING',
        'login with OpenID Connect needs the package openid-client. Run: npm install openid-client',
        { cause },
      );
    });
    const url = new URL(issuer);
    const execute = isLoopback(url) ? [client.allowInsecureRequests] : [];
    const config = await client.discovery(url, clientId, clientSecret, undefined, { execute });
    return { client, config };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return (): ReturnType<typeof load> => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

function checkOptions(options: OpenIdOptions): OpenIdOptions {
  const url = URL.canParse(options.issuer) ? new URL(options.issuer) : null;
  if (!url || (url.protocol !== 'https:' && !isLoopback(url))) {
    throw configError('openId.issuer must be an address on HTTPS, such as https://login.example.com.');
  }
  if (Object.keys(options.roles).length === 0 || !Object.values(options.roles).every(isRole)) {
    throw configError('openId.roles must give roles for values of the claim, such as { support: "agent" }.');
  }
  return options;
}

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

/** The most powerful role of the values of the claim; `null` without one. */
function roleOf(claim: unknown, roles: OpenIdOptions['roles']): AgentRole | null {
  const values = (Array.isArray(claim) ? claim : [claim]).map(String);
  const found = values.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value]] : []));
  return POWER.find((role) => found.includes(role)) ?? null;
}

/** A subject is unique at its issuer only. */
const idOf = ({ iss, sub }: Claims): string => `openid:${iss.replace(/^https?:\/\/|\/+$/g, '')}:${sub}`;

const MAX_NAME = 100;

function nameOf({ name, preferred_username: username, email, sub }: Claims): string {
  const names = [name, username, email, sub].filter((each) => typeof each === 'string');
  return (names.find((each) => each.trim() !== '') ?? sub).slice(0, MAX_NAME);
}

/** A page that redirects to the desk, or says why not. The texts are fixed, and the URL is the desk's own. */
const pageOf = (text: string, url: string | null): string =>
  `<!doctype html><meta charset="utf-8"><title>Desk</title>${
    url === null ? '' : `<meta http-equiv="refresh" content="0;url=${encodeURI(url)}">`
  }<p>${text}</p>`;

/** 256 random bits, as a text of this length. */
const randomText = (): string => randomBytes(32).toString('base64url');
const TEXT_LENGTH = 43;
