import type { Request } from 'express';
import type { Agents } from '../agents/agents.js';
import type { Sessions } from '../agents/sessions.js';
import type { AgentView } from '../api.js';
import { readCookie } from './cookies.js';

/** Who a request is from. */
export interface Who {
  readonly agent: AgentView;
  /** What a change must carry. */
  readonly token: string;
}

/** Asks the host application who is logged in there; `null` for nobody. */
export type HostSession = (request: Request) => AgentView | null | Promise<AgentView | null>;

/** What {@link createIdentify} needs. */
export interface IdentifyParts {
  readonly agents: Agents;
  readonly sessions: Sessions;
  /** Where agents log in elsewhere. */
  readonly hostSession: HostSession | null;
}

/** Finds out who a request is from; `null` when nobody is logged in. */
export type Identify = (request: Request) => Promise<Who | null>;

/**
 * Makes {@link Identify}. Where the host application has the login, the desk's own session must be of the same
 * agent: who logs out there, or becomes somebody else, is not let in on an old cookie. Elsewhere, who was removed or
 * got a new password is not.
 */
export function createIdentify({ agents, sessions, hostSession }: IdentifyParts): Identify {
  return async (request) => {
    const cookie = readCookie(request);
    const session = cookie === null ? null : await sessions.find(cookie);
    if (!session) return null;
    const { agentId, token } = session;
    if (hostSession) {
      const agent = await hostSession(request);
      return agent?.id === agentId ? { agent: { id: agent.id, name: agent.name }, token } : null;
    }
    const known = await agents.known(agentId);
    return known?.stamp === session.stamp ? { agent: known.agent, token } : null;
  };
}
