import { json, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Log } from '../../../logging/index.js';
import type { Agents } from '../agents/agents.js';
import type { OneTimeLink } from '../agents/one-time-link.js';
import type { Sessions } from '../agents/sessions.js';
import { createThrottle } from '../agents/throttle.js';
import type { AgentView } from '../api.js';
import type { Audit } from '../book/index.js';
import { clearCookie, readCookie, setCookie } from './cookies.js';
import { isSameOrigin } from './same-origin.js';
import { loginRequest, readBody } from './validate.js';
import type { HostSession } from './who.js';

/** What {@link createLogin} needs. */
export interface LoginParts {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly log: Log;
  readonly isSecure: (request: Request) => boolean;
  readonly hostSession: HostSession | null;
  /** A link that lets its agent in once. */
  readonly link: { readonly once: OneTimeLink; readonly agent: AgentView } | null;
}

const WRONG = { code: 'WRONG', message: 'Name or password is wrong.' };
const FOREIGN = { code: 'FORGED', message: 'Log in on the page of the desk.' };
const ELSEWHERE = { code: 'ELSEWHERE', message: 'Log in at the application that this desk is part of.' };

/** Makes the ways in and out: login, the one-time link, the host application's session, logout. */
export function createLogin(parts: LoginParts): Router {
  const { agents, sessions, audit, log, isSecure, hostSession, link } = parts;
  const throttle = createThrottle();
  const router = Router();

  const letIn = async (request: Request, response: Response, agent: AgentView, how: string) => {
    const old = readCookie(request);
    if (old !== null) await sessions.end(old);
    await agents.note(agent);
    setCookie(request, response, await sessions.begin(agent.id), isSecure(request));
    await audit.note(agent.id, how);
  };

  const logIn: RequestHandler = async (request, response) => {
    if (!isSameOrigin(request)) {
      response.status(403).json(FOREIGN);
      return;
    }
    if (hostSession) {
      const agent = await hostSession(request);
      if (!agent) {
        response.status(401).json(ELSEWHERE);
        return;
      }
      await letIn(request, response, agent, 'came in from the host application');
      response.status(204).end();
      return;
    }
    const { name, password } = readBody(loginRequest, request.body);
    const keys = [`name ${name}`, `from ${request.ip}`];
    const waitMs = Math.max(...keys.map((key) => throttle.wait(key)));
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      response.status(429).set('retry-after', `${seconds}`);
      response.json({ code: 'WAIT', message: `Too many tries. Wait ${seconds} seconds.` });
      return;
    }
    const agent = await agents.judge(name, password);
    if (!agent) {
      for (const key of keys) throttle.failed(key);
      log.warn({ ip: request.ip }, 'a login at the desk failed');
      await audit.note(null, 'login failed', { detail: `from ${request.ip}` });
      response.status(401).json(WRONG);
      return;
    }
    for (const key of keys) throttle.succeeded(key);
    await letIn(request, response, agent, 'login');
    response.status(204).end();
  };

  router.post('/login', json({ limit: '8kb' }), logIn);
  router.post('/logout', async (request, response) => {
    const cookie = readCookie(request);
    if (!isSameOrigin(request)) {
      response.status(403).json(FOREIGN);
      return;
    }
    if (cookie !== null) await sessions.end(cookie);
    clearCookie(request, response, isSecure(request));
    response.status(204).end();
  });
  router.get('/enter', async (request, response) => {
    const token = typeof request.query.token === 'string' ? request.query.token : '';
    if (link?.once.use(token)) await letIn(request, response, link.agent, 'came in by the one-time link');
    else if (token !== '') log.warn({ ip: request.ip }, 'a one-time link was used again, or is wrong');
    response.redirect(303, `${request.baseUrl}/`);
  });
  return router;
}
