import {
  type ErrorRequestHandler,
  json,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { HandoffKitError, type Log } from '../../../internal/index.js';
import { may, type Permission } from '../agents/roles.js';
import type { AgentSession } from '../agents/sessions.js';
import type { RejectionLog } from '../audit.js';
import { DeskError } from '../errors.js';
import type { CurrentAgent, FindCurrentAgent } from './current-agent.js';
import { hasToken, type IsSameOrigin } from './origin.js';
import { sendJson } from './send-json.js';

/** Answers a request of an agent. The result is sent as JSON; `undefined` as 204. */
export type AgentRouteHandler = (current: CurrentAgent, request: Request, response: Response) => unknown;

/** Routes for agents who are logged in. */
export interface AgentRoutes {
  readonly router: Router;
  get(path: string, permission: Permission, handler: AgentRouteHandler): void;
  /** A route that changes something: the request must come from the desk's page and carry the session's token. */
  change(method: 'post' | 'put', path: string, permission: Permission, handler: AgentRouteHandler): void;
  /** Error middleware: writes rejected changes to the audit log. */
  readonly logRejections: ErrorRequestHandler;
}

export interface AgentRoutesParts {
  readonly findAgent: FindCurrentAgent;
  /** Records that an agent did something. */
  readonly touch: (session: AgentSession) => Promise<void>;
  readonly isSameOrigin: IsSameOrigin;
  readonly rejections: RejectionLog;
}

const readJson = json({ limit: '256kb', type: 'application/json' });

/** Requests that the page makes without the agent doing anything; they do not prolong a session. */
const AUTOMATIC: readonly string[] = ['/api/events', '/api/agents', '/api/dashboard', '/api/presence'];

const NOT_LOGGED_IN = { code: 'NOT_LOGGED_IN', message: 'Log in first.' };
const FORGED = {
  code: 'FORGED',
  message: "This request did not come from the desk's page. Reload the page.",
};
const UNKNOWN = { code: 'NOT_FOUND', message: 'There is nothing here.' };

/** The body of a request is read only after its agent is known. */
export function createAgentRoutes({
  findAgent,
  touch,
  isSameOrigin,
  rejections,
}: AgentRoutesParts): AgentRoutes {
  const router = Router();
  const agents = new WeakMap<Request, CurrentAgent>();

  const currentAgentOf = (request: Request): CurrentAgent => {
    const current = agents.get(request);
    if (current) return current;
    throw new DeskError('INVALID');
  };

  const requireAgent: RequestHandler = async (request, response, next) => {
    const current = await findAgent(request);
    if (!current) {
      const { method, path, ip } = request;
      if (method !== 'GET') await rejections.write({ agent: null, reason: 'not logged in', path, ip });
      response.status(401).json(NOT_LOGGED_IN);
      return;
    }
    agents.set(request, current);
    if (!AUTOMATIC.includes(request.path)) await touch(current.session);
    next();
  };

  const requirePermission =
    (permission: Permission): RequestHandler =>
    (request, _response, next) => {
      const { agent, lacksTotp } = currentAgentOf(request);
      if (lacksTotp && permission !== 'account') throw new DeskError('TOTP_REQUIRED');
      if (!may(agent.role, permission)) throw new DeskError('NOT_ALLOWED');
      next();
    };

  const requireOwnPage: RequestHandler = async (request, response, next) => {
    const { agent, token } = currentAgentOf(request);
    if (isSameOrigin(request) && hasToken(request, token)) {
      next();
      return;
    }
    const { path, ip } = request;
    await rejections.write({ agent: agent.id, reason: 'forged request', path, ip });
    response.status(403).json(FORGED);
  };

  const answerWith =
    (handler: AgentRouteHandler): RequestHandler =>
    async (request, response) => {
      const result = await handler(currentAgentOf(request), request, response);
      if (response.headersSent) return;
      if (result === undefined) response.status(204).end();
      else await sendJson(request, response, result);
    };

  return {
    router,
    get: (path, permission, handler) =>
      void router.get(path, requireAgent, requirePermission(permission), answerWith(handler)),
    change: (method, path, permission, handler) =>
      void router[method](
        path,
        requireAgent,
        requireOwnPage,
        requirePermission(permission),
        requireJson,
        readJson,
        answerWith(handler),
      ),
    async logRejections(error, request, _response, next) {
      const agent = agents.get(request)?.agent.id;
      const { method, path, ip } = request;
      const reason = error instanceof DeskError ? error.code : `${statusOf(error)}`;
      const isRejection = statusOf(error) < 500 || error instanceof DeskError;
      if (agent !== undefined && isRejection && (method !== 'GET' || reason === 'NOT_ALLOWED')) {
        await rejections.write({ agent, reason, path, ip });
      }
      next(error);
    },
  };
}

/** The body parser skips other content types, and an unread body must not count as an empty one. */
const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') === false) throw new DeskError('NOT_JSON');
  next();
};

/** Answers unknown API paths, so that the host application does not see them. */
export function answerUnknown(findAgent: FindCurrentAgent): RequestHandler {
  return async (request, response) => {
    const isAgent = (await findAgent(request)) !== null;
    response.status(isAgent ? 404 : 401).json(isAgent ? UNKNOWN : NOT_LOGGED_IN);
  };
}

/** Error middleware: answers a {@link DeskError} with its text, and every other error without details. */
export function answerErrors(log: Log) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof DeskError) {
      if (error.cause) log.warn({ err: error.cause, path: request.path }, 'the desk refused an agent');
      if (error.status === 503 || error.status === 429) response.set('retry-after', '5');
      response.status(error.status).json({ code: error.code, message: error.message });
      return;
    }
    if (isInvalidAgent(error)) {
      response.status(400).json({ code: error.code, message: error.message });
      return;
    }
    const status = statusOf(error);
    if (status >= 500) log.error({ err: error, path: request.path }, 'the desk failed');
    const message = status >= 500 ? 'Something went wrong. Try again.' : 'The request is invalid.';
    response.status(status).json({ code: status >= 500 ? 'FAILED' : 'INVALID', message });
  };
}

/** Agents read the reason: it is about a name or password that they chose. */
const isInvalidAgent = (error: unknown): error is HandoffKitError =>
  error instanceof HandoffKitError && error.code === 'INVALID_AGENT';

/** The 4xx status of an error from a body parser; 500 for every other error. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : 500;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
