import type { Request, Response } from 'express';
import type { AgentView } from '../../api.js';
import type { Agents } from '../agents/agents.js';
import { createLoginThrottle, NETWORK_LIMIT, networkOf } from '../agents/login-throttle.js';
import { type AgentSession, SESSION_MS, type Sessions } from '../agents/sessions.js';
import type { AgentInput } from '../agents/stored-agent.js';
import { isApiToken, type Tokens } from '../agents/tokens.js';
import type { Audit, RejectionLog } from '../audit.js';
import { DeskError } from '../errors.js';
import type { LoginPolicy } from '../settings.js';
import type { SessionCookie } from './session-cookie.js';

/** The agent that a request comes from. */
export interface CurrentAgent {
  readonly agent: AgentView;
  /** Requests of a session that change something must carry this token; empty for a program. */
  readonly token: string;
  /** `null` for a program with a token of the API. */
  readonly session: AgentSession | null;
  /** Whether the agent has to set up a second factor before anything else. */
  readonly lacksTotp: boolean;
}

/**
 * Tells the desk which agent is logged in at the host application; `null` when none is. Called for every request. An agent
 * without a role may answer conversations and no more.
 *
 * @example
 * createDesk({ receiver, agents: (request) => sessions.find(request.headers.cookie) });
 */
export type HostSession = (request: Request) => AgentInput | null | Promise<AgentInput | null>;

/** Finds the agent of a request; `null` without a valid session. */
export type FindCurrentAgent = (request: Request) => Promise<CurrentAgent | null>;

/**
 * Finds the agent of a request by its token or its session. A token counts alone: cookies beside it are not looked at.
 * Other credentials in `Authorization`, such as those for a proxy, are not the desk's.
 */
export function createFindCurrentAgent(parts: {
  readonly tokens: Tokens;
  readonly browserSessions: BrowserSessions;
  readonly rejections: RejectionLog;
}): FindCurrentAgent {
  const { tokens, browserSessions, rejections } = parts;
  // A right token always works: it cannot be guessed, and a program with an old one must not lock the others out that
  // share its address.
  const guesses = createLoginThrottle(NETWORK_LIMIT);
  return async (request) => {
    const [, given = ''] = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!isApiToken(given)) return browserSessions.find(request);
    const agent = await tokens.find(given);
    if (agent) return { agent, token: '', session: null, lacksTotp: false };
    const { path, ip } = request;
    const isTooMany = guesses.attempt(networkOf(ip)) > 0;
    await rejections.write({
      agent: null,
      reason: isTooMany ? 'too many tokens' : 'invalid token',
      path,
      ip,
    });
    throw new DeskError(isTooMany ? 'TOO_MANY_TRIES' : 'INVALID_TOKEN');
  };
}

/** The sessions of the desk in the cookies of browsers. */
export interface BrowserSessions {
  readonly find: FindCurrentAgent;
  /** Logs an agent in, in place of any session that the browser had. */
  start(request: Request, response: Response, agent: AgentView, auditAction: string): Promise<void>;
  /** The same for an agent who is authenticated elsewhere: by the host application, a provider or a link. */
  startExternal(request: Request, response: Response, agent: AgentInput, auditAction: string): Promise<void>;
  /** Logs the agent of a browser out. */
  end(request: Request, response: Response): Promise<void>;
}

export interface BrowserSessionsParts {
  readonly agents: Agents;
  readonly policy: LoginPolicy;
  readonly sessions: Sessions;
  readonly audit: Audit;
  /** Set when agents log in at the host application. */
  readonly hostSession: HostSession | null;
  readonly cookie: SessionCookie;
}

/** The name of a browser is cut to this length. */
const MAX_BROWSER = 200;

/**
 * A session ends when its agent is removed or gets a new password. With a host
 * application, the agent who is logged in there must be the session's agent.
 */
export function createBrowserSessions(parts: BrowserSessionsParts): BrowserSessions {
  const { agents, policy, sessions, audit, hostSession, cookie } = parts;

  /** The valid sessions of a browser: one, unless a page of a sibling domain planted the cookie of another. */
  const sessionsOf = async (request: Request): Promise<readonly AgentSession[]> => {
    const found = await Promise.all(cookie.read(request).map((value) => sessions.find(value)));
    return found.filter((session) => session !== null);
  };

  const agentOf = async (
    request: Request,
    session: AgentSession,
  ): Promise<Pick<CurrentAgent, 'agent' | 'lacksTotp'> | null> => {
    if (hostSession) {
      const agent = await hostSession(request);
      return agent?.id === session.agentId ? { agent: viewOf(agent), lacksTotp: false } : null;
    }
    const credentials = await agents.credentials(session.agentId);
    if (credentials?.passwordVersion !== session.passwordVersion) return null;
    const { agent, hasPasswordOnly } = credentials;
    return { agent, lacksTotp: hasPasswordOnly && (await policy.get()).requiresTotp };
  };

  const start: BrowserSessions['start'] = async (request, response, { id }, auditAction) => {
    await sessions.end((await sessionsOf(request)).map((session) => session.id));
    const credentials = await agents.credentials(id);
    const value = await sessions.start({
      agentId: id,
      passwordVersion: credentials?.passwordVersion ?? '',
      from: request.ip ?? 'unknown',
      browser: (request.get('user-agent') ?? '').slice(0, MAX_BROWSER),
    });
    cookie.set(request, response, value, SESSION_MS);
    await audit.write(id, auditAction);
  };

  return {
    start,
    async startExternal(request, response, agent, auditAction) {
      await agents.saveExternal(viewOf(agent));
      await start(request, response, viewOf(agent), auditAction);
    },
    async find(request) {
      for (const session of await sessionsOf(request)) {
        const found = await agentOf(request, session);
        if (found) return { ...found, token: session.token, session };
      }
      return null;
    },
    async end(request, response) {
      const found = await sessionsOf(request);
      await sessions.end(found.map(({ id }) => id));
      for (const { agentId } of found) await audit.write(agentId, 'logout');
      cookie.clear(request, response);
    },
  };
}

const viewOf = ({ id, name, role = 'agent' }: AgentInput): AgentView => ({ id, name, role });
