import {
  type ErrorRequestHandler,
  json,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import type { Log } from '../../../internal/index.js';
import type { Refusals } from '../refusals.js';
import { DeskRefusal } from '../refuse.js';
import { hasToken, type IsSameOrigin } from './same-origin.js';
import type { Identify, Who } from './who.js';

/** Answers one request of somebody who is logged in. What it returns is sent as JSON; `undefined` as 204. */
export type Answer = (who: Who, request: Request, response: Response) => unknown;

/** Adds routes that only those who are logged in can use. */
export interface Guarded {
  readonly router: Router;
  get(path: string, answer: Answer): void;
  /** A route that changes something: refused from other sites and without the session's token. */
  change(method: 'post' | 'put', path: string, answer: Answer): void;
  /** Writes down what agents wanted and did not get. */
  readonly noteRefusals: ErrorRequestHandler;
}

/** What {@link createGuarded} needs. */
export interface GuardedParts {
  readonly identify: Identify;
  readonly isSameOrigin: IsSameOrigin;
  readonly refusals: Refusals;
}

/** The largest body that agents send. */
const readJson = json({ limit: '256kb', type: 'application/json' });

const NOT_LOGGED_IN = { code: 'NOT_LOGGED_IN', message: 'Log in first.' };
const FORGED = { code: 'FORGED', message: 'This did not come from the page of the desk. Reload it.' };
const UNKNOWN = { code: 'NOT_FOUND', message: 'There is nothing here.' };

/** Makes {@link Guarded} routes. Nothing is read of a request before it is known whose it is. */
export function createGuarded({ identify, isSameOrigin, refusals }: GuardedParts): Guarded {
  const router = Router();
  const callers = new WeakMap<Request, Who>();

  const whoOf = (request: Request): Who => {
    const who = callers.get(request);
    if (who) return who;
    throw new DeskRefusal('INVALID');
  };

  const onlyAgents: RequestHandler = async (request, response, next) => {
    const who = await identify(request);
    if (!who) {
      const { method, path, ip } = request;
      if (method !== 'GET') await refusals.note({ agent: null, why: 'not logged in', path, ip });
      response.status(401).json(NOT_LOGGED_IN);
      return;
    }
    callers.set(request, who);
    next();
  };

  const noForgery: RequestHandler = async (request, response, next) => {
    const { agent, token } = whoOf(request);
    if (isSameOrigin(request) && hasToken(request, token)) {
      next();
      return;
    }
    const { path, ip } = request;
    await refusals.note({ agent: agent.id, why: 'forged request', path, ip });
    response.status(403).json(FORGED);
  };

  const answerWith =
    (answer: Answer): RequestHandler =>
    async (request, response) => {
      const result = await answer(whoOf(request), request, response);
      if (response.headersSent) return;
      if (result === undefined) response.status(204).end();
      else response.json(result);
    };

  return {
    router,
    get: (path, answer) => void router.get(path, onlyAgents, answerWith(answer)),
    change: (method, path, answer) =>
      void router[method](path, onlyAgents, noForgery, onlyJson, readJson, answerWith(answer)),
    async noteRefusals(error, request, _response, next) {
      const agent = callers.get(request)?.agent.id;
      const { method, path, ip } = request;
      const why = error instanceof DeskRefusal ? error.code : `${statusOf(error)}`;
      const isRefused = statusOf(error) < 500 || error instanceof DeskRefusal;
      if (agent !== undefined && isRefused && method !== 'GET') await refusals.note({ agent, why, path, ip });
      next(error);
    },
  };
}

/** What is sent in another form is not read, and what is not read must not count as empty. */
const onlyJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') === false) throw new DeskRefusal('NOT_JSON');
  next();
};

/** Answers what the API does not know, so that it goes on to nobody else. */
export function answerUnknown(identify: Identify): RequestHandler {
  return async (request, response) => {
    const isAgent = (await identify(request)) !== null;
    response.status(isAgent ? 404 : 401).json(isAgent ? UNKNOWN : NOT_LOGGED_IN);
  };
}

/** Answers what went wrong: refusals in their own words, everything else without any. */
export function answerFailures(log: Log) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof DeskRefusal) {
      if (error.cause) log.warn({ err: error.cause, path: request.path }, 'the desk refused an agent');
      response.status(error.status).json({ code: error.code, message: error.message });
      return;
    }
    const status = statusOf(error);
    if (status >= 500) log.error({ err: error, path: request.path }, 'the desk failed');
    const message = status >= 500 ? 'Something went wrong. Try again.' : 'The desk does not understand that.';
    response.status(status).json({ code: status >= 500 ? 'FAILED' : 'INVALID', message });
  };
}

/** Body parsers say by `status` that the sender is at fault. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : 500;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
