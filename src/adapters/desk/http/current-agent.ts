import { parse } from 'cookie';
import type { Request, Response } from 'express';
import type { AgentInput, Agents } from '../agents/agents.js';
import { SESSION_MS, type Sessions } from '../agents/sessions.js';
import type { AgentView } from '../api.js';
import type { Audit } from '../audit.js';

/** The agent that a request comes from. */
export interface CurrentAgent {
  readonly agent: AgentView;
  /** Requests that change something must carry this token. */
  readonly token: string;
}

/**
 * Tells the desk which agent is logged in at the host application; `null` when none is. Called for every request. An agent
 * without a role may answer conversations and no more.
 *
 * @example
 * createDesk({ receiver, agents: (request) => request.session.user ?? null });
 */
export type HostSession = (request: Request) => AgentInput | null | Promise<AgentInput | null>;

/** Finds the agent of a request; `null` without a valid session. */
export type FindCurrentAgent = (request: Request) => Promise<CurrentAgent | null>;

/** The sessions of the desk in the cookies of browsers. */
export interface BrowserSessions {
  readonly find: FindCurrentAgent;
  /** Logs an agent in, in place of any session that the browser had. */
  start(request: Request, response: Response, agent: AgentView, auditAction: string): Promise<void>;
  /** The same for an agent who is known elsewhere: by the host application, or by a link. */
  startExternal(request: Request, response: Response, agent: AgentInput, auditAction: string): Promise<void>;
  /** Logs the agent of a browser out. */
  end(request: Request, response: Response): Promise<void>;
}

/** The parts of {@link createBrowserSessions}. */
export interface BrowserSessionsParts {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly audit: Audit;
  /** Set when agents log in at the host application. */
  readonly hostSession: HostSession | null;
  /** Whether the cookie is for HTTPS only. */
  readonly isSecure: (request: Request) => boolean;
}

const COOKIE_NAME = 'handoff_desk';

/**
 * Creates {@link BrowserSessions}. A session ends when its agent is removed or gets a new password. With a host
 * application, the agent who is logged in there must be the session's agent.
 */
export function createBrowserSessions(parts: BrowserSessionsParts): BrowserSessions {
  const { agents, sessions, audit, hostSession, isSecure } = parts;

  /** Hidden from scripts and other sites, and limited to the desk's own paths. */
  const cookieOptions = (request: Request) => ({
    httpOnly: true,
    sameSite: 'strict' as const,
    secure: isSecure(request),
    path: request.baseUrl || '/',
  });

  const start: BrowserSessions['start'] = async (request, response, { id }, auditAction) => {
    const old = readCookie(request);
    if (old !== null) await sessions.end(old);
    const credentials = await agents.credentials(id);
    const cookie = await sessions.start(id, credentials?.passwordVersion ?? '');
    response.cookie(COOKIE_NAME, cookie, { ...cookieOptions(request), maxAge: SESSION_MS });
    await audit.write(id, auditAction);
  };

  return {
    start,
    async startExternal(request, response, agent, auditAction) {
      await agents.saveExternal(viewOf(agent));
      await start(request, response, viewOf(agent), auditAction);
    },
    async find(request) {
      const cookie = readCookie(request);
      const session = cookie === null ? null : await sessions.find(cookie);
      if (!session) return null;
      const { agentId, token } = session;
      if (hostSession) {
        const agent = await hostSession(request);
        return agent?.id === agentId ? { agent: viewOf(agent), token } : null;
      }
      const credentials = await agents.credentials(agentId);
      if (credentials?.passwordVersion !== session.passwordVersion) return null;
      return { agent: credentials.agent, token };
    },
    async end(request, response) {
      const cookie = readCookie(request);
      if (cookie !== null) {
        const session = await sessions.find(cookie);
        await sessions.end(cookie);
        if (session) await audit.write(session.agentId, 'logout');
      }
      response.clearCookie(COOKIE_NAME, cookieOptions(request));
    },
  };
}

const viewOf = ({ id, name, role = 'agent' }: AgentInput): AgentView => ({ id, name, role });

function readCookie({ headers }: Request): string | null {
  const value = parse(headers.cookie ?? '')[COOKIE_NAME];
  return value !== undefined && /^[\w-]{20,100}$/.test(value) ? value : null;
}
