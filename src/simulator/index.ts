/**
 * A simulator of the platform: it hosts the platform's API, delivers webhooks to a receiver, and injects faults.
 * It knows the platform's interface from the specification alone and imports nothing of the receiver, the client or
 * `protocol`, so that a mistake cannot hide in both.
 *
 * For tests of a receiver, start with `createTestBench` of `handoff-kit/testing`, which wires a simulator to it.
 *
 * @example
 * import { createSimulator } from 'handoff-kit/simulator';
 *
 * const simulator = createSimulator({
 *   bots: [{
 *     id: 'bot-1',
 *     apiKey: 'key-1',
 *     humanServices: [{ componentId: 'desk', url: 'http://127.0.0.1:3000/webhook' }],
 *   }],
 * });
 * console.log(await simulator.listen(4000)); // the page, and the API for `baseUrl` and `apiKey`
 *
 * @module
 */
export type {
  HumanServiceWebhook,
  MessageWebhook,
  ResolvedBot,
  ResolvedHumanService,
  SimulatedBot,
  SimulatedBots,
} from './bots.js';
export { type Clock, createManualClock, type ManualClock, systemClock } from './clock.js';
export type { HandoffConversation, HandoffState } from './conversation.js';
export type { HandoffRequestInput } from './conversation-registry.js';
export { createSimulator, type Simulator } from './create-simulator.js';
export type { ChatLine, CustomerStatus, CustomerView, SimulatedCustomer } from './customer.js';
export { PlatformFailure, SimulatorError, type SimulatorErrorCode } from './error.js';
export {
  type ActiveFault,
  type DeliveryEvent,
  FAULTS,
  type FaultKind,
  type FaultSettings,
  type Faults,
  type PlatformEndpoint,
} from './faults.js';
export type { QaDocument } from './knowledge/knowledge-base.js';
export type { SimulatorLog, SimulatorOptions } from './options.js';
export type { ProbeInput, WebhookCheckResult } from './probe.js';
export type { SimulatedReply } from './reply-queue.js';
export type { SimulatedQaPair } from './requests/rules.js';
export {
  type BotMessageInput,
  botMessageBody,
  chatBody,
  closeBody,
  establishBody,
  probeBody,
  type SimulatedUser,
  type TranscriptItem,
} from './sending/bodies.js';
export {
  credentialHeaders,
  handoffUrl,
  type JsonPostRequest,
  type JsonPostResult,
  postJson,
  type WebhookCredentials,
} from './sending/post.js';
export type { RecordedExchange, TrafficLog } from './traffic.js';
export type { SentWebhook } from './webhook-sender.js';
