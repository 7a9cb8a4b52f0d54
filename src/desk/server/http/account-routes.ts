import type { Request } from 'express';
import { z } from 'zod';
import { accountView, type SessionView } from '../../api.js';
import { type Account, createTotpSecret, totpUri } from '../agents/account.js';
import type { LoginLimits } from '../agents/login-throttle.js';
import type { AgentSession, Sessions } from '../agents/sessions.js';
import type { Audit } from '../audit.js';
import { DeskError } from '../errors.js';
import type { PushSubscriptions } from '../notify/push-subscriptions.js';
import type { LoginPolicy } from '../settings.js';
import type { AgentRoutes } from './agent-routes.js';
import type { BrowserSessions } from './current-agent.js';

export interface AccountRoutesParts {
  readonly account: Account;
  readonly policy: LoginPolicy;
  readonly sessions: Sessions;
  readonly browserSessions: BrowserSessions;
  readonly limits: LoginLimits;
  readonly audit: Audit;
  readonly subscriptions: PushSubscriptions;
  /** The name of the desk in authenticator apps. */
  readonly issuer: (request: Request) => string;
  /** Whether agents log in with passwords of the desk, not at a host application. */
  readonly hasPasswords: boolean;
}

const password = z.string().max(1_000);
const passwordChange = z.object({ current: password, password });
const totpSetup = z.object({ password, secret: z.string().max(100), code: z.string().max(20) });
const passwordOnly = z.object({ password });
const sessionEnd = z.object({
  session: z
    .string()
    .min(1)
    .max(100)
    .describe('The id of a session, `others` for all but this one, or `all`.'),
});
const totpSecret = z.object({ secret: z.string(), uri: z.string() });
const recoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

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

  const isForPeople = true;

  routes.get(
    '/api/account',
    'account',
    { summary: 'Your password, second factor and sessions', answer: accountView, isForPeople },
    async ({ agent, token, session }) => {
      const { hasPassword, hasTotp } = await account.factors(agent.id);
      const all = await sessions.list(agent.id);
      return {
        hasPassword: parts.hasPasswords && hasPassword,
        hasTotp,
        requiresTotp: (await policy.get()).requiresTotp,
        token,
        sessions: all.map((each) => viewOf(each, session)),
      };
    },
  );
  routes.change(
    'post',
    '/api/account/active',
    'account',
    { summary: 'Prolongs your session', isForPeople },
    // Every request counts as activity, so there is nothing left to do.
    () => undefined,
  );
  routes.change(
    'post',
    '/api/account/password',
    'account',
    { summary: 'Changes your password', body: passwordChange, isForPeople },
    async ({ agent, body: { current, password: next } }, request, response) => {
      await withPassword(agent.id, request, () => account.changePassword(agent.id, current, next));
      await browserSessions.start(request, response, agent, 'login after a change of the password');
    },
  );
  routes.change(
    'post',
    '/api/account/totp/new',
    'account',
    { summary: 'A new secret for an authenticator app', answer: totpSecret, isForPeople },
    ({ agent }, request) => {
      const secret = createTotpSecret();
      return { secret, uri: totpUri(secret, agent.id, parts.issuer(request)) };
    },
  );
  routes.change(
    'put',
    '/api/account/totp',
    'account',
    { summary: 'Sets up your second factor', body: totpSetup, answer: recoveryCodes, isForPeople },
    async ({ agent, body: { password: given, secret, code } }, request) => ({
      recoveryCodes: await withPassword(agent.id, request, () =>
        account.enableTotp(agent.id, given, secret, code),
      ),
    }),
  );
  routes.change(
    'post',
    '/api/account/totp/off',
    'account',
    { summary: 'Turns your second factor off', body: passwordOnly, isForPeople },
    async ({ agent, body }, request) => {
      if ((await policy.get()).requiresTotp) throw new DeskError('TOTP_REQUIRED');
      await withPassword(agent.id, request, () => account.disableTotp(agent.id, body.password));
    },
  );
  routes.change(
    'post',
    '/api/account/sessions/end',
    'account',
    { summary: 'Ends sessions of yours', body: sessionEnd, isForPeople },
    async ({ agent, session, body: { session: which } }) => {
      const chosen = (await sessions.list(agent.id)).filter(({ id }) =>
        which === 'others' ? id !== session?.id : which === 'all' || id === which,
      );
      await sessions.end(chosen.map(({ id }) => id));
      // Also those of browsers whose sessions have expired.
      if (which === 'all' || which === 'others') {
        await parts.subscriptions.removeAll(agent, which === 'all' ? null : session);
      }
      await audit.write(agent.id, 'sessions ended', { detail: `${chosen.length}` });
    },
  );
}

const viewOf = (
  { id, startedAt, seenAt, from, browser }: AgentSession,
  current: AgentSession | null,
): SessionView => ({
  id,
  startedAt,
  seenAt,
  from,
  browser,
  isCurrent: id === current?.id,
});
