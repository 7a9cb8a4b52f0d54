import { z } from 'zod';
import { newToken, newWebhook, tokenView, webhookEventName, webhookView } from '../../api.js';
import { ROLES } from '../agents/roles.js';
import type { Tokens } from '../agents/tokens.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { AgentRoutes } from './agent-routes.js';
import { describeApi } from './openapi.js';

const tokenRequest = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('Shown like the name of an agent, and to users where those are.'),
  role: z.enum(ROLES),
  expiresAt: z.int().min(0).nullable(),
});

const webhookRequest = z.object({
  url: z.string().max(2_000),
  events: z.array(webhookEventName).min(1).max(webhookEventName.options.length),
  content: z.boolean().describe("Whether to send words of users and agents, and users' contact details."),
});

/** Adds the routes for programs: tokens, webhooks, and the description of all routes. Add it last. */
export function addProgramRoutes(
  routes: AgentRoutes,
  { tokens, webhooks }: { readonly tokens: Tokens; readonly webhooks: Webhooks },
): void {
  // Whoever has a token could otherwise make another, which outlives it.
  const isForPeople = true;
  routes.get('/api/admin/tokens', 'manageApi', { summary: 'The tokens', answer: z.array(tokenView) }, () =>
    tokens.list(),
  );
  routes.change(
    'post',
    '/api/admin/tokens',
    'manageApi',
    { summary: 'Creates a token, which is shown once', body: tokenRequest, answer: newToken, isForPeople },
    ({ agent, body }) => tokens.create(agent, body),
  );
  routes.change(
    'post',
    '/api/admin/tokens/:id/revoke',
    'manageApi',
    { summary: 'Revokes a token, and releases its conversations' },
    ({ agent }, { params }) => tokens.revoke(agent, String(params.id)),
  );

  routes.get(
    '/api/admin/webhooks',
    'manageApi',
    { summary: 'The webhooks', answer: z.array(webhookView) },
    () => webhooks.list(),
  );
  routes.change(
    'post',
    '/api/admin/webhooks',
    'manageApi',
    { summary: 'Creates a webhook. Its secret is shown once', body: webhookRequest, answer: newWebhook },
    ({ agent, body }) => webhooks.create(agent, body),
  );
  for (const action of ['enable', 'remove'] as const) {
    routes.change(
      'post',
      `/api/admin/webhooks/:id/${action}`,
      'manageApi',
      { summary: action === 'enable' ? 'Sends events again to a disabled webhook' : 'Removes a webhook' },
      ({ agent }, { params }) => webhooks[action](agent, String(params.id)),
    );
  }

  const document = z.record(z.string(), z.unknown());
  routes.get(
    '/api/openapi.json',
    'answer',
    { summary: 'This description', answer: document },
    (_call, { baseUrl }) => describeApi(routes.all, baseUrl),
  );
}
