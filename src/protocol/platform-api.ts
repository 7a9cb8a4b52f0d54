import { z } from 'zod';
import { openEnum, quantity } from './primitives.js';

/** Paths of the endpoints that the platform hosts, below its base URL. */
export const PLATFORM_PATHS = {
  addQa: '/v1/bot/doc/qa/add',
  updateQa: '/v1/bot/doc/qa/update',
  checkWebhooks: '/v1/webhook/check',
  health: '/v1/webhook/service/health',
  reply: '/v1/human/message/receive',
  close: '/v1/human/close',
} as const;

/** The body of a refusal, on every JSON endpoint. */
export interface FailureBody {
  /** One of {@link PLATFORM_CODES}, or unknown. */
  code: number;
  /** The platform's explanation. It can quote the request. */
  message: string;
}

export const failureBody: z.ZodType<FailureBody> = z.looseObject({ code: z.int(), message: z.string() });

/** The platform's error codes: first the documented codes, then those that platforms also send. */
export const PLATFORM_CODES = {
  PARAMETER_ERROR: 40000,
  INTERNAL_ERROR: 50000,
  AUTHENTICATION_FAILED: 40127,
  BOT_DELETED: 40378,
  CONVERSATION_NOT_FOUND: 40356,
  CONVERSATION_MISMATCH: 40358,
  API_DISABLED: 20055,
  OUT_OF_CREDITS: 20022,
  OUT_OF_CREDITS_ALSO: 40379,
} as const;

/** The platform's error codes have five digits or more. */
const FIRST_ERROR_CODE = 10_000;

/**
 * Whether a body reports a failure, whatever the HTTP status. The contract does not say which codes mean success, so
 * error codes, HTTP error statuses and negative numbers count as failures.
 */
export function isFailureBody(body: unknown): body is { code: number; message?: unknown } {
  if (typeof body !== 'object' || body === null || !('code' in body)) return false;
  const { code } = body;
  return typeof code === 'number' && (code < 0 || (code >= 400 && code < 600) || code >= FIRST_ERROR_CODE);
}

/** An agent's message to the user. */
export interface AgentReply {
  /** The handoff's id. */
  conversation_id: string;
  /** When it was written, in milliseconds. */
  timestamp: number;
  /** Not empty. */
  body: string;
}

const sentTime = z.int().nonnegative();

export const agentReply: z.ZodType<AgentReply> = z.looseObject({
  conversation_id: z.string().min(1),
  timestamp: sentTime,
  body: z.string().min(1, 'expected some text: an empty reply would show the user nothing'),
});

/** An agent ends a handoff. */
export interface AgentClose {
  /** The handoff's id. */
  conversation_id: string;
  /** When it ended, in milliseconds. */
  timestamp: number;
}

export const agentClose: z.ZodType<AgentClose> = z.looseObject({
  conversation_id: z.string().min(1),
  timestamp: sentTime,
});

/** Schema of the platform's answer to a reply, and of a receiver's answer to a handoff request. */
export const handoffAnswer = z.looseObject({ code: z.int(), message: z.string() });

/** Schema of the platform's answer to a close, as documented. */
export const agentCloseAnswer = z.looseObject({ conversation_id: z.string(), timestamp: z.int() });

/** Kinds of webhook that a bot can have. */
export const WEBHOOK_TYPES = ['message', 'human_service'] as const;

/** The result of the platform's probe of one webhook. */
export interface WebhookCheckResult {
  /** May be an unknown kind. */
  type: (typeof WEBHOOK_TYPES)[number] | (string & {});
  /** The flow component that has this webhook; `null` for the bot's own. */
  component_id: string | null;
  component_name: string | null;
  /** `null` if the platform does not say. */
  webhook_url: string | null;
  reachable: boolean;
  /** The HTTP status of its answer; 0 or `null` if there was none. */
  http_status: number | null;
  latency_ms: number | null;
}

const webhookCheckResult: z.ZodType<WebhookCheckResult> = z.looseObject({
  type: openEnum(WEBHOOK_TYPES),
  component_id: z.string().nullable().default(null),
  component_name: z.string().nullable().default(null),
  webhook_url: z.string().nullable(),
  reachable: z.boolean(),
  http_status: z.int().nullable().default(null),
  latency_ms: quantity,
});

/** Schema of the answer to a webhook check: one result for each configured webhook. */
export const webhookCheckAnswer: z.ZodType<{ results: WebhookCheckResult[] }> = z.looseObject({
  results: z.array(webhookCheckResult),
});

/** The health endpoint's answer while the platform works. */
export const HEALTHY = 'service is normal';

/** How often to probe the health endpoint; the platform recommends three times a minute. */
export const HEALTH_INTERVAL_MS = 20_000;

/** How long a health probe may take; the platform recommends 3 to 5 seconds. */
export const HEALTH_TIMEOUT_MS = 4_000;
