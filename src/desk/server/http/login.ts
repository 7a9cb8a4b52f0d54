import { randomBytes, timingSafeEqual } from 'node:crypto';
import { json, type Request, type RequestHandler, type Response, Router } from 'express';
import type { ErrorBody } from '../../api.js';
import type { Account, Authentication } from '../agents/account.js';
import type { LoginLimits } from '../agents/login-throttle.js';
import type { AgentInput } from '../agents/stored-agent.js';
import type { RejectionLog } from '../audit.js';
import type { BrowserSessions, HostSession } from './current-agent.js';
import type { IsSameOrigin } from './origin.js';
import { loginRequest, readBody } from './validate.js';

/** A token that logs an agent in once. */
export interface OneTimeLink {
  readonly token: string;
  /** Whether the token matches and was not used before. */
  use(token: string): boolean;
}

export function createOneTimeLink(): OneTimeLink {
  const token = randomBytes(24).toString('base64url');
  const expected = Buffer.from(token);
  let isUsed = false;
  return {
    token,
    use(given) {
      const bytes = Buffer.from(given);
      if (isUsed || bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return false;
      isUsed = true;
      return true;
    },
  };
}

export interface LoginParts {
  readonly account: Account;
  readonly limits: LoginLimits;
  readonly browserSessions: BrowserSessions;
  readonly rejections: RejectionLog;
  readonly isSameOrigin: IsSameOrigin;
  readonly hostSession: HostSession | null;
  /** The name of the OpenID provider, if agents can log in there. */
  readonly openIdName: string | null;
  readonly oneTimeLogins: readonly { readonly link: OneTimeLink; readonly agent: AgentInput }[];
}

const WRONG = { code: 'WRONG', message: 'Name or password is wrong.' };
const CODE_NEEDED = { code: 'CODE_NEEDED', message: 'Enter the code from your authenticator app.' };
const WRONG_CODE = { code: 'WRONG_CODE', message: 'The code is wrong. Enter the latest one from the app.' };
const FORGED = { code: 'FORGED', message: "Log in on the desk's page." };
const ELSEWHERE = { code: 'ELSEWHERE', message: 'Log in at the application that this desk is part of.' };

/** The answers and audit lines of failed logins. */
const FAILURES: Readonly<Record<Exclude<Authentication['outcome'], 'ok'>, readonly [string, ErrorBody]>> = {
  wrong: ['login failed', WRONG],
  'code needed': ['login without a code', CODE_NEEDED],
  'wrong code': ['login with a wrong code', WRONG_CODE],
};

/** Creates the routes for login, logout and the one-time link. */
export function createLogin(parts: LoginParts): Router {
  const { account, limits, browserSessions, rejections, isSameOrigin, hostSession, oneTimeLogins } = parts;
  const router = Router();

  const reject = async (
    request: Request,
    response: Response,
    status: number,
    reason: string,
    body: ErrorBody,
    name?: string,
  ) => {
    const { path, ip } = request;
    await rejections.write({ agent: null, reason, path, ip, ...(name !== undefined && { name }) });
    response.status(status).json(body);
  };

  const requireOwnPage: RequestHandler = async (request, response, next) => {
    if (isSameOrigin(request)) next();
    else await reject(request, response, 403, 'not from the page', FORGED);
  };

  const logInByHost = async (host: HostSession, request: Request, response: Response): Promise<void> => {
    const agent = await host(request);
    if (!agent) return reject(request, response, 401, 'not logged in at the host application', ELSEWHERE);
    await browserSessions.startExternal(request, response, agent, 'login by the host application');
    response.status(204).end();
  };

  /** Checks the password and code. An attempt that could not be checked does not count. */
  const authenticate = async (name: string, password: string, code: string, ip: string | undefined) => {
    try {
      return await account.authenticate(name, password, code);
    } catch (error) {
      limits.undo(name, ip);
      throw error;
    }
  };

  const logIn: RequestHandler = async (request, response) => {
    if (hostSession) return logInByHost(hostSession, request, response);
    const { name, password, code } = readBody(loginRequest, request.body);
    const { ip } = request;
    const waitMs = limits.attempt(name, ip, code !== '');
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      response.set('retry-after', `${seconds}`);
      const body = { code: 'WAIT', message: `Too many attempts. Wait ${seconds} seconds.` };
      return reject(request, response, 429, 'too many logins', body, name);
    }
    const result = await authenticate(name, password, code, ip);
    if (result.outcome !== 'ok') {
      if (result.outcome !== 'wrong') limits.undo(name, ip, { isWrongCode: result.outcome === 'wrong code' });
      const [reason, body] = FAILURES[result.outcome];
      return reject(request, response, 401, reason, body, name);
    }
    limits.succeed(name, ip);
    const how = {
      password: 'login',
      code: 'login with a code',
      'recovery code': 'login with a recovery code',
    };
    await browserSessions.start(request, response, result.agent, how[result.by]);
    response.status(204).end();
  };

  router.post('/login', requireOwnPage, json({ limit: '8kb' }), logIn);
  // For the login page, which shows a link to the provider.
  router.get('/login/options', (_request, response) => void response.json({ openId: parts.openIdName }));
  router.post('/logout', requireOwnPage, async (request, response) => {
    await browserSessions.end(request, response);
    response.status(204).end();
  });
  router.get('/enter', async (request, response) => {
    const { path, ip, query } = request;
    const token = typeof query.token === 'string' ? query.token : '';
    const login = oneTimeLogins.find(({ link }) => link.use(token));
    if (login) {
      await browserSessions.startExternal(request, response, login.agent, 'login by the one-time link');
    } else {
      await rejections.write({ agent: null, reason: 'a wrong or used link', path, ip });
    }
    response.redirect(303, `${request.baseUrl}/`);
  });
  return router;
}
