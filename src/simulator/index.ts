/**
 * The platform's service in miniature: what the contract says it hosts, what it sends, and what goes wrong.
 * It uses the contract and nothing else of this package, so that a mistake elsewhere cannot hide in it.
 *
 * @module
 */
export type { Agent, Agents, Component, HumanService, MessageWebhook, SimulatedAgent } from './agents.js';
export {
  type AgentMessageInput,
  agentMessageBody,
  chatBody,
  closeBody,
  establishBody,
  probeBody,
  type SimulatedUser,
  type TranscriptItem,
} from './bodies.js';
export { type Clock, createManualClock, type ManualClock, systemClock } from './clock.js';
export type { HandoffConversation, HandoffState } from './conversation.js';
export type { HandoffInput } from './conversations.js';
export { createSimulator, type Simulator } from './create-simulator.js';
export { type Credentials, credentialHeaders } from './credentials.js';
export type { ChatLine, Customer, CustomerStatus, CustomerView } from './customer.js';
export type { Delivery } from './deliver.js';
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
export { handoffUrl } from './handoff-url.js';
export type { QaDocument } from './knowledge/documents.js';
export type { SimulatorLog } from './log.js';
export type { SimulatorOptions } from './options.js';
export { type PostRequest, type PostResult, postJson } from './post.js';
export type { ProbeInput } from './probe.js';
export type { Reply } from './replies.js';
export type { Exchange, Traffic } from './traffic.js';
