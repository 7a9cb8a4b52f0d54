import type { Request, Response } from 'express';
import type { Agents } from '../agents/agents.js';
import type { Sessions } from '../agents/sessions.js';
import type { AgentView } from '../api.js';
import type { Audit } from '../book/index.js';
import { readCookie, setCookie } from './cookies.js';

/** Begins a session of an agent, in place of any that the browser had. */
export type LetIn = (request: Request, response: Response, agent: AgentView, how: string) => Promise<void>;

/** What {@link createLetIn} needs. */
export interface LetInParts {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly isSecure: (request: Request) => boolean;
}

/** Makes {@link LetIn}. */
export function createLetIn({ agents, sessions, audit, isSecure }: LetInParts): LetIn {
  return async (request, response, { id, name }, how) => {
    const old = readCookie(request);
    if (old !== null) await sessions.end(old);
    await agents.note({ id, name });
    const known = await agents.known(id);
    setCookie(request, response, await sessions.begin(id, known?.stamp ?? ''), isSecure(request));
    await audit.note(id, how);
  };
}
