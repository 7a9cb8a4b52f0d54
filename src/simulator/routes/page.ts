import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import { createLiveEvents } from '../http/live-events.js';
import { onlySameOrigin, pageHeaders } from '../http/same-origin.js';
import type { SimulatorLog } from '../log.js';
import { faultList, type PageSubject, pageState } from '../page-state.js';
import { actionRoutes } from './actions.js';

const PAGE_ROOT = fileURLToPath(new URL('../page/', import.meta.url));
const PAGE_FILES = [
  'index.html',
  'page.css',
  'chat.css',
  'panel.css',
  'page.js',
  'dom.js',
  'faults.js',
  'exchanges.js',
  'icon.svg',
];

const sendPageFile =
  (file: string): RequestHandler =>
  (_request, response) => {
    response.sendFile(file, { root: PAGE_ROOT, cacheControl: false });
  };

/** The page at the root, its live events and its actions: apart from `/v1`, and for the page itself only. */
export function createPage(
  options: PageSubject & {
    log: SimulatorLog;
    allowedHosts: readonly string[];
    framedBy: 'nobody' | 'same-origin';
  },
): {
  router: Router;
  close: () => void;
} {
  const { customer, faults, traffic, log } = options;
  const events = createLiveEvents();
  customer.onLine((line) => events.publish('line', line));
  customer.onView((view) => events.publish('view', view));
  faults.onChange(() => events.publish('faults', faultList(faults)));
  traffic.onChange((exchange) => events.publish('exchange', exchange));

  const router = Router();
  const guard: RequestHandler[] = [pageHeaders(options.framedBy), onlySameOrigin(options.allowedHosts)];
  router.get('/', ...guard, sendPageFile('index.html'));
  for (const file of PAGE_FILES) router.get(`/${file}`, ...guard, sendPageFile(file));
  router.use('/simulator', guard);
  router.get('/simulator/state', (_request, response) => {
    response.json(pageState(options));
  });
  router.get('/simulator/events', (request, response) => {
    events.stream(response, request.get('last-event-id'), () => pageState(options));
  });
  router.use('/simulator', actionRoutes({ customer, faults, log }));
  return { router, close: events.close };
}
