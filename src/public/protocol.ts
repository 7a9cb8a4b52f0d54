/**
 * The wire contract: schemas, types and constants of the requests between the platform and a developer. No I/O.
 *
 * @module
 */

// The body of a bot's message, and what it says.

export {
  type AudioClip,
  type BotMessage,
  type BotMessageEnvelope,
  botMessage,
  type CompletionTokenDetails,
  type CreditUsage,
  type MessageUsage,
  messageAnswer,
  messageAudio,
  messageText,
  type OutputContent,
  type OutputItem,
  type TokenDetails,
  type TokenUsage,
} from '../protocol/index.js';

// The bodies of the handoff endpoints.

export {
  CLOSE_TYPES,
  HANDOFF_PATHS,
  type HandoffChat,
  type HandoffClose,
  type HandoffMessageItem,
  type HandoffRequest,
  handoffAnswer,
  handoffChat,
  handoffClose,
  handoffRequest,
  MESSAGE_TYPES,
  type UserInfo,
} from '../protocol/index.js';

// Validation of these bodies, without a receiver.

export {
  type BodyIssue,
  isOldMessageFormat,
  isProbe,
  toDate,
  ValidationError,
  type ValidationErrorCode,
  validate,
  validateWebhook,
  type WebhookBody,
  type WebhookEndpoint,
} from '../protocol/index.js';

// The platform's API: replies, ends, webhook checks and failures.

export {
  type AgentClose,
  type AgentReply,
  agentClose,
  agentCloseAnswer,
  agentReply,
  type FailureBody,
  failureBody,
  PLATFORM_CODES,
  PLATFORM_PATHS,
  WEBHOOK_TYPES,
  type WebhookCheck,
  type WebhookCheckResult,
  webhookCheckAnswer,
} from '../protocol/index.js';

// The platform's API: knowledge.

export {
  type DocumentResult,
  MAX_FILES,
  type QaAdd,
  type QaAnswer,
  type QaFile,
  type QaPair,
  type QaProcessing,
  type QaResult,
  type QaUpdate,
  qaAdd,
  qaAnswer,
  qaUpdate,
  type SourceFile,
} from '../protocol/index.js';
