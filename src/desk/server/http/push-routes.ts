import { z } from 'zod';
import { pushView } from '../../api.js';
import type { PushSubscriptions } from '../notify/push-subscriptions.js';
import type { WebPush } from '../notify/web-push.js';
import type { AgentRoutes } from './agent-routes.js';

/** Base64url of so many bytes, with or without padding. */
const bytes = (count: number) =>
  z.string().refine((text) => /^[\w-]+={0,2}$/.test(text) && Buffer.from(text, 'base64url').length === count);

const endpoint = z.string().min(1).max(1_000);
const subscription = z.object({
  endpoint,
  keys: z.object({ p256dh: bytes(65), auth: bytes(16) }),
  language: z.enum(['en', 'zh']),
});
const visibility = z.object({ page: z.uuid(), isVisible: z.boolean() });

/** Adds the routes with which a browser subscribes to notifications. */
export function addPushRoutes(routes: AgentRoutes, webPush: WebPush, subscriptions: PushSubscriptions): void {
  const isForPeople = true;
  routes.get(
    '/api/push',
    'answer',
    { summary: 'The key for notifications of a browser', answer: pushView, isForPeople },
    async () => ({ publicKey: await webPush.publicKey() }),
  );
  routes.change(
    'post',
    '/api/push',
    'answer',
    { summary: 'Subscribes a browser to notifications', body: subscription, isForPeople },
    ({ agent, session, body }) => session && webPush.subscribe(agent, session, body),
  );
  routes.change(
    'post',
    '/api/push/remove',
    'answer',
    { summary: "Ends a browser's subscription", body: z.object({ endpoint }), isForPeople },
    ({ agent, body }) => subscriptions.remove(agent, body.endpoint),
  );
  routes.change(
    'post',
    '/api/push/visible',
    'answer',
    { summary: 'Says whether a page of the desk is visible', body: visibility, isForPeople },
    ({ agent, body: { page, isVisible } }) => subscriptions.setVisible(agent, page, isVisible),
  );
}
