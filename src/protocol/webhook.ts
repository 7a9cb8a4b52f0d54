import { z } from 'zod';
import { openEnum, quantity } from './primitives.js';

/** What a webhook is configured for. */
export const WEBHOOK_TYPES = ['message', 'human_service'] as const;

/** The body of the health endpoint when the service works (4.4). */
export const HEALTHY = 'service is normal';

/** How often to ask for health, as recommended: three times a minute. */
export const HEALTH_INTERVAL_MS = 20_000;

/** How long to wait for it: within the recommended 3 to 5 seconds. */
export const HEALTH_TIMEOUT_MS = 4_000;

/** What the service found when it probed one webhook (2.4). */
export const webhookCheckResult = z.looseObject({
  type: openEnum(WEBHOOK_TYPES),
  component_id: z.string().nullable().default(null),
  component_name: z.string().nullable().default(null),
  webhook_url: z.string(),
  reachable: z.boolean(),
  http_status: z.int().nullable().default(null),
  latency_ms: quantity,
});

/** The answer to a webhook check: one result for each configured webhook (4.3). */
export const webhookCheckAnswer = z.looseObject({ results: z.array(webhookCheckResult) });

/** What the service found when it probed one webhook. */
export type WebhookCheckResult = z.output<typeof webhookCheckResult>;
