import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { LetIn } from './let-in.js';
import type { HostSession, Identify } from './who.js';

/** Where the build puts the page: beside this folder in the package, and below `dist` for those who run the sources. */
const ROOTS = ['../page/', '../../../../dist/adapters/desk/page/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const NOT_BUILT =
  'The page of the desk is not built. Run npm run build, or install the package from the registry.';

/** What {@link createPageFiles} needs. */
export interface PageParts {
  readonly identify: Identify;
  readonly hostSession: HostSession | null;
  readonly letIn: LetIn;
}

/** Serves the page: the login, or where it is, and its files to everybody, the rest to those who are logged in. */
export function createPageFiles({ identify, hostSession, letIn }: PageParts): Router {
  const router = Router();
  const root = ROOTS.find((folder) => existsSync(`${folder}assets`));
  const send =
    (file: string): RequestHandler =>
    (_request, response) => {
      if (root === undefined) response.status(503).type('text').send(NOT_BUILT);
      else response.sendFile(file, { root, cacheControl: false });
    };
  /** Who is logged in at the host application need not log in again. */
  const arrives = async (request: Request, response: Response): Promise<boolean> => {
    if (await identify(request)) return true;
    const agent = (await hostSession?.(request)) ?? null;
    if (agent) await letIn(request, response, agent, 'came in from the host application');
    return agent !== null;
  };
  const onlyAgents: RequestHandler = async (request, response, next) => {
    if (await identify(request)) next();
    else response.status(401).type('text').send('Log in first.');
  };

  // Addresses in the page are relative, so that it can be mounted anywhere: that needs the slash at its end.
  router.get('/', (request, response, next) => {
    if (request.originalUrl.split('?')[0]?.endsWith('/')) next();
    else response.redirect(308, `${request.baseUrl}/`);
  });
  router.get('/', async (request, response, next) => {
    const entry = hostSession ? 'elsewhere.html' : 'login.html';
    const file = (await arrives(request, response)) ? 'index.html' : entry;
    send(file)(request, response, next);
  });
  if (root !== undefined) {
    const files = (folder: string) =>
      express.static(`${root}${folder}`, { index: false, redirect: false, cacheControl: false });
    router.use('/assets/login', files('assets/login'));
    router.use('/assets', onlyAgents, files('assets'));
    router.get('/icon.svg', send('icon.svg'));
  }
  return router;
}
