import { type ConversationCalls, createConversationCalls } from './conversation.js';
import { createKnowledgeCalls, type KnowledgeCalls } from './knowledge.js';
import { readOptions, type ServiceClientOptions } from './options.js';
import { createWebhookCalls, type WebhookCalls } from './webhooks.js';

/**
 * Everything the service hosts. Calls validate what they are given before anything is sent and throw a
 * `ValidationError` then; what goes wrong after that is a `ServiceError`.
 */
export interface ServiceClient extends ConversationCalls {
  /** The knowledge of the agent. */
  readonly knowledge: KnowledgeCalls;
  /** The webhooks of the agent, and the health of the service. */
  readonly webhooks: WebhookCalls;
}

/**
 * Makes a client of the service. Throws a `HandoffKitError` with the code `CONFIG_INVALID` when an option
 * cannot be right.
 *
 * @example
 * const service = createServiceClient({ baseUrl: 'https://api.example.com', apiKey });
 * await service.reply({ conversationId, text: 'Good morning, how can I help?' });
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const settings = readOptions(options);
  return Object.freeze({
    ...createConversationCalls(settings),
    knowledge: Object.freeze(createKnowledgeCalls(settings)),
    webhooks: Object.freeze(createWebhookCalls(settings)),
  });
}
