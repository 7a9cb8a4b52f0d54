import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { BrowserSessions, HostSession } from './current-agent.js';

/** Where the build puts the page: beside this folder in the package, and in `dist` when the sources run. */
const ROOTS = ['../../page/', '../../../../dist/desk/page/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const CACHE_CONTROL = 'private, max-age=31536000, immutable';

const NOT_BUILT =
  'The page of the desk is not built. Run npm run build, or install the package from the registry.';

/** Serves the page. The login page and its files are public; all other files need a session. */
export function createPageFiles(browserSessions: BrowserSessions, hostSession: HostSession | null): Router {
  const router = Router();
  const root = ROOTS.find((folder) => existsSync(`${folder}assets`));
  const send =
    (file: string): RequestHandler =>
    (_request, response) => {
      if (root === undefined) response.status(503).type('text').send(NOT_BUILT);
      else response.sendFile(file, { root, cacheControl: false });
    };
  /** Agents who are logged in at the host application get a session without another login. */
  const hasSession = async (request: Request, response: Response): Promise<boolean> => {
    if (await browserSessions.find(request)) return true;
    const agent = (await hostSession?.(request)) ?? null;
    if (agent) await browserSessions.startExternal(request, response, agent, 'login by the host application');
    return agent !== null;
  };
  const requireAgent: RequestHandler = async (request, response, next) => {
    if (await browserSessions.find(request)) next();
    else response.status(401).type('text').send('Log in first.');
  };

  // URLs in the page are relative, so that it can be mounted anywhere. They need the trailing slash.
  router.get('/', (request, response, next) => {
    if (request.originalUrl.split('?')[0]?.endsWith('/')) next();
    else response.redirect(308, `${request.baseUrl}/`);
  });
  router.get('/', async (request, response, next) => {
    const loginPage = hostSession ? 'host-login.html' : 'login.html';
    const file = (await hasSession(request, response)) ? 'index.html' : loginPage;
    send(file)(request, response, next);
  });
  if (root !== undefined) {
    // Their names contain their hashes, so a file never changes. Shared caches must not keep those for agents only.
    const files = (folder: string) =>
      express.static(`${root}${folder}`, {
        index: false,
        redirect: false,
        cacheControl: false,
        setHeaders: (response) => response.setHeader('cache-control', CACHE_CONTROL),
      });
    router.use('/assets/login', files('assets/login'));
    router.use('/assets', requireAgent, files('assets'));
    // Public, since browsers look for a new version at any time. Its folder is its scope.
    router.get('/service-worker.js', send('service-worker.js'));
    router.get('/icon.svg', send('icon.svg'));
    router.get('/icon-alert.svg', send('icon-alert.svg'));
  }
  return router;
}
