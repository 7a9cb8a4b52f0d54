import { json, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Agents } from '../agents/agents.js';
import { createLoginThrottle, networkOf } from '../agents/login-throttle.js';
import type { OneTimeLink } from '../agents/one-time-link.js';
import type { AgentView, ErrorBody } from '../api.js';
import type { RejectionLog } from '../audit.js';
import type { BrowserSessions, HostSession } from './current-agent.js';
import type { IsSameOrigin } from './same-origin.js';
import { loginRequest, readBody } from './validate.js';

/** The parts of {@link createLogin}. */
export interface LoginParts {
  readonly agents: Agents;
  readonly browserSessions: BrowserSessions;
  readonly rejections: RejectionLog;
  readonly isSameOrigin: IsSameOrigin;
  readonly hostSession: HostSession | null;
  readonly oneTimeLogins: readonly { readonly link: OneTimeLink; readonly agent: AgentView }[];
}

const WRONG = { code: 'WRONG', message: 'Name or password is wrong.' };
const FORGED = { code: 'FORGED', message: 'Log in on the page of the desk.' };
const ELSEWHERE = { code: 'ELSEWHERE', message: 'Log in at the application that this desk is part of.' };

/** At most a minute, so that guessing a name does not lock its owner out for long. */
const NAME_LIMIT = { free: 5, longestMs: 60_000 };
/** A whole office may share one address. */
const NETWORK_LIMIT = { free: 20, longestMs: 15 * 60_000 };

/** Creates the routes for login, logout and the one-time link. */
export function createLogin(parts: LoginParts): Router {
  const { agents, browserSessions, rejections, isSameOrigin, hostSession, oneTimeLogins } = parts;
  const nameThrottle = createLoginThrottle(NAME_LIMIT);
  const networkThrottle = createLoginThrottle(NETWORK_LIMIT);
  const router = Router();

  const reject = async (
    request: Request,
    response: Response,
    status: number,
    reason: string,
    body: ErrorBody,
  ) => {
    await rejections.write({ agent: null, reason, path: request.path, ip: request.ip });
    response.status(status).json(body);
  };

  const requireOwnPage: RequestHandler = async (request, response, next) => {
    if (isSameOrigin(request)) next();
    else await reject(request, response, 403, 'not from the page', FORGED);
  };

  const logInByHost = async (host: HostSession, request: Request, response: Response): Promise<void> => {
    const agent = await host(request);
    if (!agent) return reject(request, response, 401, 'not logged in at the host application', ELSEWHERE);
    await browserSessions.start(request, response, agent, 'login by the host application');
    response.status(204).end();
  };

  const logIn: RequestHandler = async (request, response) => {
    if (hostSession) return logInByHost(hostSession, request, response);
    const { name, password } = readBody(loginRequest, request.body);
    const network = networkOf(request.ip);
    const waitMs = networkThrottle.attempt(network) || nameThrottle.attempt(name);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      response.set('retry-after', `${seconds}`);
      const body = { code: 'WAIT', message: `Too many tries. Wait ${seconds} seconds.` };
      return reject(request, response, 429, 'too many logins', body);
    }
    const agent = await agents.authenticate(name, password);
    if (!agent) return reject(request, response, 401, 'login failed', WRONG);
    networkThrottle.undo(network);
    nameThrottle.reset(name);
    await browserSessions.start(request, response, agent, 'login');
    response.status(204).end();
  };

  router.post('/login', requireOwnPage, json({ limit: '8kb' }), logIn);
  router.post('/logout', requireOwnPage, async (request, response) => {
    await browserSessions.end(request, response);
    response.status(204).end();
  });
  router.get('/enter', async (request, response) => {
    const { path, ip, query } = request;
    const token = typeof query.token === 'string' ? query.token : '';
    const login = oneTimeLogins.find(({ link }) => link.use(token));
    if (login) {
      await browserSessions.start(request, response, login.agent, 'login by the one-time link');
    } else {
      await rejections.write({ agent: null, reason: 'a wrong or used link', path, ip });
    }
    response.redirect(303, `${request.baseUrl}/`);
  });
  return router;
}
