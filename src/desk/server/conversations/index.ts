import type { Log } from '../../../internal/index.js';
import { type Audit, createAudit } from '../audit.js';
import type { DocumentStore } from '../store/index.js';
import { type AgentActions, createAgentActions } from './agent-actions.js';
import {
  type ConversationRecords,
  createConversationRecords,
  type FindTarget,
  NO_TARGET,
} from './conversation-records.js';
import { type CustomerActions, createCustomerActions } from './customer-actions.js';
import { createOutgoingSender, type OutgoingSender } from './outgoing-sender.js';

/** The conversations of a desk, and everything that changes them. */
export interface DeskConversations {
  readonly records: ConversationRecords;
  readonly customerActions: CustomerActions;
  readonly agentActions: AgentActions;
  readonly sender: OutgoingSender;
  readonly audit: Audit;
}

export function createDeskConversations(
  store: DocumentStore,
  log: Log,
  isGreeted: boolean,
  findTarget: FindTarget = async () => NO_TARGET,
): DeskConversations {
  const records = createConversationRecords(store);
  return {
    records,
    customerActions: createCustomerActions(records, isGreeted, findTarget),
    agentActions: createAgentActions(store, records),
    sender: createOutgoingSender(store, records, log),
    audit: createAudit(store),
  };
}
