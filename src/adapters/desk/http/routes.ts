import { json, type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Log } from '../../../logging/index.js';
import type { Audit } from '../book/index.js';
import { DeskRefusal } from '../refuse.js';
import { hasToken, isSameOrigin } from './same-origin.js';
import type { Identify, Who } from './who.js';

/** Answers one request of somebody who is logged in. What it returns is sent as JSON; `undefined` as 204. */
export type Answer = (who: Who, request: Request, response: Response) => unknown;

/** Adds routes that only those who are logged in can use. */
export interface Guarded {
  readonly router: Router;
  get(path: string, answer: Answer): void;
  /** A route that changes something: refused from other sites and without the session's token. */
  change(method: 'post' | 'put', path: string, answer: Answer): void;
}

/** What {@link createGuarded} needs. */
export interface GuardedParts {
  readonly identify: Identify;
  readonly audit: Audit;
  readonly log: Log;
}

/** The largest body that agents send. */
const readJson = json({ limit: '256kb', type: 'application/json' });

const NOT_LOGGED_IN = { code: 'NOT_LOGGED_IN', message: 'Log in first.' };
const FORGED = { code: 'FORGED', message: 'This did not come from the page of the desk. Reload it.' };

/** Makes {@link Guarded} routes. */
export function createGuarded({ identify, audit, log }: GuardedParts): Guarded {
  const router = Router();

  const guard =
    (answer: Answer, changes: boolean): RequestHandler =>
    async (request, response) => {
      const who = await identify(request);
      if (!who) {
        response.status(401).json(NOT_LOGGED_IN);
        return;
      }
      if (changes && !(isSameOrigin(request) && hasToken(request, who.token))) {
        log.warn({ agent: who.agent.id, path: request.path }, 'refused what did not come from the page');
        await audit.note(who.agent.id, 'refused: forged request', { detail: request.path });
        response.status(403).json(FORGED);
        return;
      }
      const result = await answer(who, request, response);
      if (response.headersSent) return;
      if (result === undefined) response.status(204).end();
      else response.json(result);
    };

  return {
    router,
    get: (path, answer) => void router.get(path, guard(answer, false)),
    change(method, path, answer) {
      const handler = guard(answer, true);
      router[method](path, readJson, handler);
    },
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
