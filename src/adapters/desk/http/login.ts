import { json, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Agents } from '../agents/agents.js';
import type { OneTimeLink } from '../agents/one-time-link.js';
import type { Sessions } from '../agents/sessions.js';
import { createThrottle, sourceOf } from '../agents/throttle.js';
import type { AgentView, Refusal } from '../api.js';
import type { Audit } from '../book/index.js';
import type { Refusals } from '../refusals.js';
import { clearCookie, readCookie } from './cookies.js';
import type { LetIn } from './let-in.js';
import type { IsSameOrigin } from './same-origin.js';
import { loginRequest, readBody } from './validate.js';
import type { HostSession } from './who.js';

/** What {@link createLogin} needs. */
export interface LoginParts {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly refusals: Refusals;
  readonly letIn: LetIn;
  readonly isSameOrigin: IsSameOrigin;
  readonly isSecure: (request: Request) => boolean;
  readonly hostSession: HostSession | null;
  /** A link that lets its agent in once. */
  readonly link: { readonly once: OneTimeLink; readonly agent: AgentView } | null;
}

const WRONG = { code: 'WRONG', message: 'Name or password is wrong.' };
const FOREIGN = { code: 'FORGED', message: 'Log in on the page of the desk.' };
const ELSEWHERE = { code: 'ELSEWHERE', message: 'Log in at the application that this desk is part of.' };

/** A name waits a minute at most, so that who knows it cannot keep its owner out for long. */
const BY_NAME = { free: 5, longestMs: 60_000 };
/** Behind one address there may be a whole office. */
const BY_SOURCE = { free: 20, longestMs: 15 * 60_000 };

/** Makes the ways in and out: login, the one-time link, the host application's session, logout. */
export function createLogin(parts: LoginParts): Router {
  const { agents, sessions, audit, refusals, letIn, isSameOrigin, isSecure, hostSession, link } = parts;
  const names = createThrottle(BY_NAME);
  const sources = createThrottle(BY_SOURCE);
  const router = Router();

  const refuse = async (request: Request, response: Response, status: number, why: string, body: Refusal) => {
    await refusals.note({ agent: null, why, path: request.path, ip: request.ip });
    response.status(status).json(body);
  };

  const fromOwnPage: RequestHandler = async (request, response, next) => {
    if (isSameOrigin(request)) next();
    else await refuse(request, response, 403, 'not from the page', FOREIGN);
  };

  const logInByHost = async (host: HostSession, request: Request, response: Response): Promise<void> => {
    const agent = await host(request);
    if (!agent) return refuse(request, response, 401, 'not logged in at the host application', ELSEWHERE);
    await letIn(request, response, agent, 'came in from the host application');
    response.status(204).end();
  };

  const logIn: RequestHandler = async (request, response) => {
    if (hostSession) return logInByHost(hostSession, request, response);
    const { name, password } = readBody(loginRequest, request.body);
    const source = sourceOf(request.ip);
    const waitMs = sources.begin(source) || names.begin(name);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      response.set('retry-after', `${seconds}`);
      const body = { code: 'WAIT', message: `Too many tries. Wait ${seconds} seconds.` };
      return refuse(request, response, 429, 'too many logins', body);
    }
    const agent = await agents.judge(name, password);
    if (!agent) return refuse(request, response, 401, 'login failed', WRONG);
    sources.takeBack(source);
    names.forget(name);
    await letIn(request, response, agent, 'login');
    response.status(204).end();
  };

  router.post('/login', fromOwnPage, json({ limit: '8kb' }), logIn);
  router.post('/logout', fromOwnPage, async (request, response) => {
    const cookie = readCookie(request);
    const session = cookie === null ? null : await sessions.find(cookie);
    if (cookie !== null) await sessions.end(cookie);
    if (session) await audit.note(session.agentId, 'logout');
    clearCookie(request, response, isSecure(request));
    response.status(204).end();
  });
  router.get('/enter', async (request, response) => {
    const token = typeof request.query.token === 'string' ? request.query.token : '';
    if (link?.once.use(token)) await letIn(request, response, link.agent, 'came in by the one-time link');
    else
      await refusals.note({ agent: null, why: 'a wrong or used link', path: request.path, ip: request.ip });
    response.redirect(303, `${request.baseUrl}/`);
  });
  return router;
}
