/**
 * The platform's names and numbers as its specification gives them. They are written down here a second time, and
 * not taken from `protocol/`, so that a mistake there does not go unnoticed in a test against the simulator.
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

/** The codes of refusals: four that are specified, then two that deployments answer. */
export const FAILURE_CODES = {
  parameterError: 40000,
  internalError: 50000,
  authenticationFailed: 40127,
  botDeleted: 40378,
  conversationNotFound: 40356,
  conversationMismatch: 40358,
} as const;

/** The body of the health endpoint of a working platform. */
export const HEALTHY = 'service is normal';

/** The most files in one request. */
export const MAX_FILES = 20;

/** Tokens per chunk if a request has no `chunk_token`. */
export const DEFAULT_CHUNK_TOKEN = 600;
