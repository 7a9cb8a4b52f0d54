import { validate, type WebhookCheckResult, webhookCheckAnswer } from '../protocol/index.js';
import { call } from './call.js';
import { probeHealth, type ServiceHealth } from './health.js';
import type { CallOptions, Settings } from './options.js';
import { type HealthWatch, type WatchOptions, watchHealth } from './watch.js';

/** What the service found when it probed the agent's webhooks. */
export interface WebhookCheck {
  /** One entry for each configured webhook. */
  readonly results: readonly WebhookCheckResult[];
}

/** The agent's webhooks, and the part of the service that calls them. */
export interface WebhookCalls {
  /** Makes the service probe every webhook of the agent (4.3). */
  check(options?: CallOptions): Promise<WebhookCheck>;
  /** Asks once whether the service works (4.4). An unavailable service is an answer, not an error. */
  health(options?: CallOptions): Promise<ServiceHealth>;
  /** Asks again and again whether the service works, and tells of changes. */
  watch(options: WatchOptions): HealthWatch;
}

const readCheck = (body: unknown): WebhookCheck => validate(webhookCheckAnswer, body);

/** Makes the calls about webhooks. */
export function createWebhookCalls(settings: Settings): WebhookCalls {
  const health: WebhookCalls['health'] = async (options) => probeHealth(settings, options);
  return {
    check: async (options) => call(settings, { endpoint: 'checkWebhooks', read: readCheck }, options),
    health,
    watch: (options) => watchHealth(health, settings.clock, options),
  };
}
