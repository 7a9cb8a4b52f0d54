/**
 * The platform's service in miniature: what the contract says it hosts, what it sends, and what goes wrong.
 * It uses the contract and nothing else of this package, so that a mistake elsewhere cannot hide in it.
 *
 * @module
 */
export type {
  HumanServiceWebhook,
  MessageWebhook,
  ResolvedAgent,
  ResolvedHumanService,
  SimulatedAgent,
  SimulatedAgents,
} from './agents.js';
export { type Clock, createManualClock, type ManualClock, systemClock } from './clock.js';
export type { HandoffConversation, HandoffState } from './conversation.js';
export type { HandoffRequestInput } from './conversation-registry.js';
export { createSimulator, type Simulator } from './create-simulator.js';
export type { ChatLine, CustomerStatus, CustomerView, SimulatedCustomer } from './customer.js';
export { ServiceFailure, SimulatorError, type SimulatorErrorCode } from './error.js';
export {
  type ActiveFault,
  type DeliveryEvent,
  FAULTS,
  type FaultKind,
  type FaultSettings,
  type Faults,
  type ServiceEndpoint,
} from './faults.js';
export type { QaDocument } from './knowledge/knowledge-base.js';
export type { SimulatorLog, SimulatorOptions } from './options.js';
export type { ProbeInput } from './probe.js';
export type { SimulatedReply } from './reply-queue.js';
export {
  type AgentMessageInput,
  agentMessageBody,
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
export type { WebhookDelivery } from './webhook-sender.js';
