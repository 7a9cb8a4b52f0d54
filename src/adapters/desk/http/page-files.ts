import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import type { Identify } from './who.js';

/** Where the build puts the page: beside this folder in the package, and below `dist` for those who run the sources. */
const ROOTS = ['../page/', '../../../../dist/adapters/desk/page/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const NOT_BUILT =
  'The page of the desk is not built. Run npm run build, or install the package from the registry.';

/** Serves the page: the login and its files to everybody, the rest to those who are logged in. */
export function createPageFiles(identify: Identify): Router {
  const router = Router();
  const root = ROOTS.find((folder) => existsSync(`${folder}assets`));
  const send =
    (file: string): RequestHandler =>
    (_request, response) => {
      if (root === undefined) response.status(503).type('text').send(NOT_BUILT);
      else response.sendFile(file, { root, cacheControl: false });
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
    const file = (await identify(request)) ? 'index.html' : 'login.html';
    send(file)(request, response, next);
  });
  if (root !== undefined) {
    const files = express.static(root, {
      index: false,
      redirect: false,
      dotfiles: 'deny',
      cacheControl: false,
    });
    router.use('/assets/login', express.static(`${root}assets/login`, { index: false, redirect: false }));
    router.use('/assets', onlyAgents, express.static(`${root}assets`, { index: false, redirect: false }));
    router.get('/icon.svg', files);
  }
  return router;
}
