import { channels, traceRequest } from '../../diagnostics/index.js';
import type { WebhookEndpoint } from './webhook.js';

/** Wraps the endpoint for the helpdesk's webhooks, so that its requests are published while anything subscribes. */
export function traceWebhook(webhook: WebhookEndpoint, receiver: object, adapter: string): WebhookEndpoint {
  const { handle } = webhook;
  return {
    ...webhook,
    handle(request, send) {
      if (!channels.webhook.hasSubscribers) return handle(request, send);
      const { method, headers } = request;
      const message = { receiver, adapter, method, headers, status: null };
      return traceRequest(channels.webhook, message, (onAnswer) =>
        Promise.resolve(
          handle(request, (answer) => {
            onAnswer(answer.status);
            send(answer);
          }) ?? undefined,
        ),
      );
    },
  };
}
