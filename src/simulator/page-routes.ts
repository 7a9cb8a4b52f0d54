import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { HandoffKitError } from '../internal/index.js';
import type { SimulatedBots } from './bots.js';
import type { SimulatedCustomer } from './customer.js';
import { readSettings, SimulatorError } from './error.js';
import { FAULTS, type Faults, isFaultKind } from './faults.js';
import { isJson, parseJson, readText } from './http/endpoint.js';
import { createLiveEvents } from './http/live-events.js';
import { pageHeaders, requireSameOrigin } from './http/same-origin.js';
import type { SimulatorLog } from './options.js';
import type { TrafficLog } from './traffic.js';

const PAGE_ROOT = fileURLToPath(new URL('./page/', import.meta.url));
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

/** The page at `/`, its live events and its actions. Requests from other sites are refused. */
export function createPageRoutes(
  options: PageSources & {
    log: SimulatorLog;
    allowedHosts: readonly string[];
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
  const guard: RequestHandler[] = [pageHeaders, requireSameOrigin(options.allowedHosts)];
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

/** The parts of the simulator that the page shows. */
interface PageSources {
  bots: SimulatedBots;
  customer: SimulatedCustomer;
  faults: Faults;
  traffic: TrafficLog;
}

/** The current state of the page, without webhook URLs and secrets. */
function pageState({ bots, customer, faults, traffic }: PageSources) {
  return {
    view: customer.view(),
    lines: customer.lines(),
    components: componentList(bots),
    faults: faultList(faults),
    exchanges: traffic.exchanges(),
  };
}

function faultList(faults: Faults) {
  const active = faults.active();
  return Object.entries(FAULTS).map(([kind, { title, hint, fields }]) => {
    const settings = isFaultKind(kind) ? active[kind] : undefined;
    return { kind, title, hint, fields, on: settings !== undefined, settings: settings ?? null };
  });
}

function componentList(bots: SimulatedBots) {
  return bots
    .list()
    .filter(({ deleted }) => !deleted)
    .flatMap(({ id, name, humanServices }) =>
      humanServices.map(({ componentId, componentName }) => ({
        botId: id,
        componentId,
        label: `${componentName} of ${name}`,
      })),
    );
}

const emptyBody = z.strictObject({});
const sayBody = z.strictObject({ text: z.string().trim().min(1).max(10_000) });
const handoffBody = z.strictObject({ botId: z.string().optional(), componentId: z.string().optional() });
const faultBody = z.strictObject({
  kind: z.string().refine(isFaultKind, 'expected the name of a fault'),
  on: z.boolean(),
  settings: z.record(z.string(), z.unknown()).default({}),
});

/** The page's buttons. Each action takes a JSON object and answers when it is done. */
function actionRoutes(options: { customer: SimulatedCustomer; faults: Faults; log: SimulatorLog }): Router {
  const { customer, faults, log } = options;

  const action =
    <Schema extends z.ZodType>(schema: Schema, act: (body: z.output<Schema>) => unknown): RequestHandler =>
    async (request, response) => {
      try {
        if (!isJson(request))
          throw new SimulatorError('INVALID_ACTION', 'expected Content-Type application/json');
        await act(readSettings('INVALID_ACTION', schema, parseJson(await readText(request))));
        response.json({ ok: true });
      } catch (error) {
        if (error instanceof HandoffKitError) {
          response.status(400).json({ code: error.code, message: error.message });
          return;
        }
        log.error({ err: error }, 'an action of the page failed');
        response.status(500).json({ code: 'INTERNAL_ERROR', message: 'the simulator failed; see its log' });
      }
    };

  const setFault = ({ kind, on, settings }: z.output<typeof faultBody>) => {
    if (on) faults.setFrom(kind, settings);
    else faults.clear(kind);
  };

  const router = Router();
  router.post(
    '/say',
    action(sayBody, ({ text }) => customer.say(text)),
  );
  router.post(
    '/handoff',
    action(handoffBody, (target) => customer.askForHuman(target)),
  );
  router.post(
    '/close',
    action(emptyBody, () => customer.close()),
  );
  router.post(
    '/restart',
    action(emptyBody, () => customer.restart()),
  );
  router.post('/faults', action(faultBody, setFault));
  return router;
}
