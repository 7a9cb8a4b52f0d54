/** Where the service hosts its endpoints, below its base URL. */
export const SERVICE_PATHS = {
  addQa: '/v1/bot/doc/qa/add',
  updateQa: '/v1/bot/doc/qa/update',
  checkWebhooks: '/v1/webhook/check',
  health: '/v1/webhook/service/health',
  reply: '/v1/human/message/receive',
  close: '/v1/human/close',
} as const;

/** Where the service sends handoff requests, below the developer's URL. */
export const HANDOFF_PATHS = {
  establish: '/conversation/establish',
  chat: '/chat',
  close: '/conversation/close',
} as const;
