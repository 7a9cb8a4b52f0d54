import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { WebhookPayload } from '../../src/desk/api.js';
import { serve } from '../helpers/serve.js';

/** A request that a webhook has sent. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: WebhookPayload;
}

/** What the endpoint does with a request; a number is the status of its answer. */
export type Reaction =
  | number
  | 'hang'
  | { readonly status: number; readonly headers: Record<string, string>; readonly body?: string };

/** A receiver of webhooks that records requests, and answers as the test says. */
export async function webhookEndpoint(react: (webhook: ReceivedWebhook) => Reaction = () => 204) {
  const received: ReceivedWebhook[] = [];
  const { url } = await serve((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const webhook = { id: headers['webhook-id'] ?? '', headers, text, body: JSON.parse(text) };
    received.push(webhook);
    const reaction = react(webhook);
    if (reaction === 'hang') return;
    const {
      status,
      headers: more = {},
      body = '',
    } = typeof reaction === 'number' ? { status: reaction } : reaction;
    response.writeHead(status, more).end(body);
  }

  return {
    url,
    received,
    types: () => received.map(({ body }) => body.type),
  };
}

/** Whether a request has the signature that the specification's own library makes. */
export function isSigned({ id, headers, text }: ReceivedWebhook, secret: string): boolean {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return new Webhook(secret).sign(id, sentAt, text) === headers['webhook-signature'];
}
