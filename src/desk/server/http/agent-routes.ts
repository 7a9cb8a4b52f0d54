import {
  type ErrorRequestHandler,
  json,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import type { z } from 'zod';
import { HandoffKitError, type Log } from '../../../internal/index.js';
import type { View } from '../../api.js';
import { may, type Permission } from '../agents/roles.js';
import type { RejectionLog } from '../audit.js';
import { DeskError } from '../errors.js';
import type { CurrentAgent, FindCurrentAgent } from './current-agent.js';
import { hasToken, type IsSameOrigin } from './origin.js';
import { sendJson } from './send-json.js';
import { readBody } from './validate.js';

/** What a route takes and answers: it validates requests, and the OpenAPI description is generated from it. */
export interface RouteDescription<Body = unknown, Query = unknown, Answer = z.ZodType | string> {
  readonly summary: string;
  readonly body?: z.ZodType<Body>;
  readonly query?: z.ZodType<Query>;
  /** The schema of the answer; a text is the content type of one that is not JSON. Without either, it is a 204. */
  readonly answer?: Answer;
  /** A token cannot use it. */
  readonly isForPeople?: boolean;
}

/** The agent of a request, and its input. */
export interface AgentCall<Body, Query> extends CurrentAgent {
  readonly body: Body;
  readonly query: Query;
}

/** Answers a request of an agent. The result is sent as JSON; `undefined` as 204. */
export type AgentRouteHandler<Body, Query, Answer> = (
  call: AgentCall<Body, Query>,
  request: Request,
  response: Response,
) => AnswerOf<Answer> | Promise<AnswerOf<Answer>>;

type AnswerOf<Answer> = Answer extends z.ZodType ? View<Answer> : unknown;

/** A route of the API. */
export interface AgentRoute {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly permission: Permission;
  readonly description: RouteDescription;
}

/** Routes for agents who are logged in, and for programs with a token. */
export interface AgentRoutes {
  readonly router: Router;
  readonly all: readonly AgentRoute[];
  get<Query, Answer extends z.ZodType | string>(
    path: string,
    permission: Permission,
    description: Omit<RouteDescription<unknown, Query, Answer>, 'body'>,
    handler: AgentRouteHandler<unknown, Query, Answer>,
  ): void;
  /**
   * A route that changes something: the request must come from the desk's page and carry the session's token, or come
   * from a program.
   */
  change<Body, Answer extends z.ZodType | string>(
    method: 'post' | 'put',
    path: string,
    permission: Permission,
    description: Omit<RouteDescription<Body, unknown, Answer>, 'query'>,
    handler: AgentRouteHandler<Body, unknown, Answer>,
  ): void;
  /** Error middleware: writes rejected changes to the audit log. */
  readonly logRejections: ErrorRequestHandler;
}

export interface AgentRoutesParts {
  readonly findAgent: FindCurrentAgent;
  /** Records that an agent did something, or that a token was used. */
  readonly touch: (current: CurrentAgent) => Promise<void>;
  readonly isSameOrigin: IsSameOrigin;
  readonly rejections: RejectionLog;
}

const readJson = json({ limit: '256kb', type: 'application/json' });

/** Requests that the page makes without the agent doing anything; they do not prolong a session. */
const AUTOMATIC: readonly string[] = [
  '/api/events',
  '/api/agents',
  '/api/dashboard',
  '/api/presence',
  '/api/push',
  '/api/push/visible',
];

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
  const all: AgentRoute[] = [];
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
    if (!current.session || !AUTOMATIC.includes(request.path)) await touch(current);
    next();
  };

  const requirePermission =
    ({ permission, description }: AgentRoute): RequestHandler =>
    (request, _response, next) => {
      const { agent, session, lacksTotp } = currentAgentOf(request);
      if (lacksTotp && permission !== 'account') throw new DeskError('TOTP_REQUIRED');
      if (!may(agent.role, permission)) throw new DeskError('NOT_ALLOWED');
      if (description.isForPeople && !session) throw new DeskError('NOT_FOR_TOKENS');
      next();
    };

  const requireOwnPage: RequestHandler = async (request, response, next) => {
    const { agent, session, token } = currentAgentOf(request);
    // No browser sends a token of the API by itself, so a request with one cannot be forged.
    if (!session || (isSameOrigin(request) && hasToken(request, token))) {
      next();
      return;
    }
    const { path, ip } = request;
    await rejections.write({ agent: agent.id, reason: 'forged request', path, ip });
    response.status(403).json(FORGED);
  };

  const answerWith =
    <Body, Query, Answer extends z.ZodType | string>(
      description: RouteDescription<Body, Query, Answer>,
      handler: AgentRouteHandler<Body, Query, Answer>,
    ): RequestHandler =>
    async (request, response) => {
      const body = (description.body && readBody(description.body, request.body ?? {})) as Body;
      const query = (description.query && readBody(description.query, request.query)) as Query;
      const result = await handler({ ...currentAgentOf(request), body, query }, request, response);
      if (response.headersSent) return;
      if (result === undefined) response.status(204).end();
      else await sendJson(request, response, result);
    };

  return {
    router,
    all,
    get(path, permission, description, handler) {
      const route: AgentRoute = { method: 'get', path, permission, description };
      all.push(route);
      router.get(path, requireAgent, requirePermission(route), answerWith(description, handler));
    },
    change(method, path, permission, description, handler) {
      const route: AgentRoute = { method, path, permission, description };
      all.push(route);
      router[method](
        path,
        requireAgent,
        requireOwnPage,
        requirePermission(route),
        requireJson,
        readJson,
        answerWith(description, handler),
      );
    },
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
  const isEmpty = request.headers['content-length'] === '0';
  if (!isEmpty && request.is('application/json') === false) throw new DeskError('NOT_JSON');
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
      const { code, message, fields } = error;
      if (error.status === 401) response.set('www-authenticate', 'Bearer');
      response.status(error.status).json({ code, message, ...(fields && { fields }) });
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
