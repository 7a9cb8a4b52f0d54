import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Clock } from './clock.js';
import type { ConversationRegistry } from './conversation-registry.js';
import type { Faults, PlatformEndpoint } from './faults.js';
import type { Endpoints } from './http/endpoint.js';
import type { KnowledgeBase } from './knowledge/knowledge-base.js';
import type { SimulatorLog } from './options.js';
import type { WebhookProber } from './probe.js';
import { readAddRequest, readClose, readReply, readUpdateRequest } from './requests/rules.js';
import { FAILURE_CODES, HEALTHY, PLATFORM_PATHS } from './specification.js';

const ROUTES: readonly (readonly ['get' | 'post' | 'put', PlatformEndpoint])[] = [
  ['post', 'addQa'],
  ['put', 'updateQa'],
  ['post', 'checkWebhooks'],
  ['get', 'health'],
  ['post', 'reply'],
  ['post', 'close'],
];

export function createPlatformApp(options: {
  handlers: Readonly<Record<PlatformEndpoint, RequestHandler>>;
  page: Router;
  openapi: object | undefined;
  log: SimulatorLog;
}): Express {
  const { handlers, openapi, log } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');

  for (const [method, name] of ROUTES) {
    app[method](PLATFORM_PATHS[name], handlers[name]);
    app.all(PLATFORM_PATHS[name], (_request, response) => {
      const allow = method.toUpperCase();
      response
        .status(405)
        .set('allow', allow)
        .json(wrongRequest(`expected the method ${allow}`));
    });
  }
  if (openapi) {
    app.get('/openapi.json', (_request, response) => {
      response.json(openapi);
    });
  }
  app.use(options.page);
  app.use((_request, response) => {
    response.status(404).json(wrongRequest('there is no such endpoint'));
  });

  const errorHandler: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    if (status < 500) {
      response.status(status).json(wrongRequest('this request cannot be read'));
      return;
    }
    log.error({ err: error }, 'a request failed');
    response.status(500).json({ code: FAILURE_CODES.internalError, message: 'Internal system error' });
  };
  app.use(errorHandler);
  return app;
}

function wrongRequest(detail: string) {
  return { code: FAILURE_CODES.parameterError, message: `Parameter error: ${detail}` };
}

/** Express sets a status below 500 on the caller's mistakes, such as a malformed URL. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : 500;
  return typeof status === 'number' && status >= 400 ? status : 500;
}

export function knowledgeRoutes({ endpoint }: Endpoints, knowledge: KnowledgeBase) {
  return {
    addQa: endpoint('addQa', ({ bot, body }) => knowledge.add(bot.id, readAddRequest(body))),
    updateQa: endpoint('updateQa', ({ bot, body }) => knowledge.update(bot.id, readUpdateRequest(body))),
  };
}

export function webhookRoutes(
  { endpoint, publicEndpoint }: Endpoints,
  prober: WebhookProber,
  faults: Faults,
) {
  return {
    checkWebhooks: endpoint('checkWebhooks', async ({ bot }) => ({ results: await prober.check(bot) }), {
      hasBody: false,
    }),
    health: publicEndpoint('health', () =>
      faults.take('outOfOrder', 'health')
        ? { status: 503, text: 'service is out of order' }
        : { status: 200, text: HEALTHY },
    ),
  };
}

/**
 * Conversations that `handoff-kit doctor` or `handoff-kit send` started at the receiver. Replies to them are accepted and
 * ignored, so that a receiver that answers its users passes.
 */
const isOfCommand = (conversationId: string): boolean => /^(?:doctor|send)-/.test(conversationId);

export function agentRoutes({ endpoint }: Endpoints, conversations: ConversationRegistry, clock: Clock) {
  return {
    reply: endpoint('reply', ({ bot, body }) => {
      const reply = readReply(body);
      if (!isOfCommand(reply.conversationId)) conversations.receive(bot, reply);
      return { code: 200, message: 'success' };
    }),
    close: endpoint('close', ({ bot, body }) => {
      const { conversationId } = readClose(body);
      if (!isOfCommand(conversationId)) conversations.closeByAgent(bot, conversationId);
      return { conversation_id: conversationId, timestamp: clock.now() };
    }),
  };
}
