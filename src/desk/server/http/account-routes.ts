import type { Request } from 'express';
import { z } from 'zod';
import type { AccountView, SessionView } from '../../api.js';
import { type Account, createTotpSecret, totpUri } from '../agents/account.js';
import type { LoginLimits } from '../agents/login-throttle.js';
import type { AgentSession, Sessions } from '../agents/sessions.js';
import type { Audit } from '../audit.js';
import { DeskError } from '../errors.js';
import type { LoginPolicy } from '../settings.js';
import type { AgentRoutes } from './agent-routes.js';
import type { BrowserSessions } from './current-agent.js';
import { readBody } from './validate.js';

export interface AccountRoutesParts {
  readonly account: Account;
  readonly policy: LoginPolicy;
  readonly sessions: Sessions;
  readonly browserSessions: BrowserSessions;
  readonly limits: LoginLimits;
  readonly audit: Audit;
  /** The name of the desk in authenticator apps. */
  readonly issuer: (request: Request) => string;
  /** Whether agents log in with passwords of the desk, not at a host application. */
  readonly hasPasswords: boolean;
}

const password = z.string().max(1_000);
const passwordChange = z.object({ current: password, password });
const totpSetup = z.object({ password, secret: z.string().max(100), code: z.string().max(20) });
const passwordOnly = z.object({ password });
/** The id of a session, `others` for all but this one, or `all`. */
const sessionEnd = z.object({ session: z.string().min(1).max(100) });

/** Adds the routes with which agents manage their own password, second factor and sessions. */
export function addAccountRoutes(routes: AgentRoutes, parts: AccountRoutesParts): void {
  const { account, policy, sessions, browserSessions, limits, audit } = parts;

  /** Checks the agent's password within the limits of the login: a stolen session must not help to guess it. */
  const withPassword = async <Result>(id: string, { ip }: Request, run: () => Promise<Result>) => {
    const { hasPassword } = await account.factors(id);
    if (!parts.hasPasswords || !hasPassword) throw new DeskError('NO_PASSWORD');
    if (limits.attempt(id, ip, false) > 0) throw new DeskError('TOO_MANY_TRIES');
    try {
      const result = await run();
      limits.succeed(id, ip);
      return result;
    } catch (error) {
      if (!(error instanceof DeskError && error.code === 'WRONG_PASSWORD')) limits.undo(id, ip);
      throw error;
    }
  };

  routes.get('/api/account', 'account', async ({ agent, token, session }): Promise<AccountView> => {
    const { hasPassword, hasTotp } = await account.factors(agent.id);
    const all = await sessions.list(agent.id);
    return {
      hasPassword: parts.hasPasswords && hasPassword,
      hasTotp,
      requiresTotp: (await policy.get()).requiresTotp,
      token,
      sessions: all.map((each) => viewOf(each, session)),
    };
  });
  // Every request counts as activity, so there is nothing left to do.
  routes.change('post', '/api/account/active', 'account', () => undefined);
  routes.change('post', '/api/account/password', 'account', async ({ agent }, request, response) => {
    const { current, password: next } = readBody(passwordChange, request.body);
    await withPassword(agent.id, request, () => account.changePassword(agent.id, current, next));
    await browserSessions.start(request, response, agent, 'login after a change of the password');
  });
  routes.change('post', '/api/account/totp/new', 'account', ({ agent }, request) => {
    const secret = createTotpSecret();
    return { secret, uri: totpUri(secret, agent.id, parts.issuer(request)) };
  });
  routes.change('put', '/api/account/totp', 'account', async ({ agent }, request) => {
    const { password: given, secret, code } = readBody(totpSetup, request.body);
    const recoveryCodes = await withPassword(agent.id, request, () =>
      account.enableTotp(agent.id, given, secret, code),
    );
    return { recoveryCodes };
  });
  routes.change('post', '/api/account/totp/off', 'account', async ({ agent }, request) => {
    if ((await policy.get()).requiresTotp) throw new DeskError('TOTP_REQUIRED');
    const { password: given } = readBody(passwordOnly, request.body);
    await withPassword(agent.id, request, () => account.disableTotp(agent.id, given));
  });
  routes.change('post', '/api/account/sessions/end', 'account', async ({ agent, session }, { body }) => {
    const which = readBody(sessionEnd, body).session;
    const chosen = (await sessions.list(agent.id)).filter(({ id }) =>
      which === 'others' ? id !== session.id : which === 'all' || id === which,
    );
    await sessions.end(chosen.map(({ id }) => id));
    await audit.write(agent.id, 'sessions ended', { detail: `${chosen.length}` });
  });
}

const viewOf = (
  { id, startedAt, seenAt, from, browser }: AgentSession,
  current: AgentSession,
): SessionView => ({
  id,
  startedAt,
  seenAt,
  from,
  browser,
  isCurrent: id === current.id,
});
