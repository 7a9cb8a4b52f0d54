/**
 * The platform's names and numbers, written from its specification and not imported from `protocol/`, so that tests
 * against the simulator notice a mistake there.
 */

/** Paths of the endpoints that the platform hosts. */
export const PLATFORM_PATHS = {
  addQa: '/v1/bot/doc/qa/add',
  updateQa: '/v1/bot/doc/qa/update',
  checkWebhooks: '/v1/webhook/check',
  health: '/v1/webhook/service/health',
  reply: '/v1/human/message/receive',
  close: '/v1/human/close',
} as const;

/** Paths of the handoff endpoints below the developer's URL. */
export const HANDOFF_PATHS = {
  establish: '/conversation/establish',
  chat: '/chat',
  close: '/conversation/close',
} as const;

/** Refusal codes: four from the specification, then two that deployments send. */
export const FAILURE_CODES = {
  parameterError: 40000,
  internalError: 50000,
  authenticationFailed: 40127,
  botDeleted: 40378,
  conversationNotFound: 40356,
  conversationMismatch: 40358,
} as const;

/** The health endpoint's answer while the platform works. */
export const HEALTHY = 'service is normal';

/** Per request. */
export const MAX_FILES = 20;

/** Tokens per chunk if a request has no `chunk_token`. */
export const DEFAULT_CHUNK_TOKEN = 600;
