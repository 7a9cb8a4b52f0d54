import type { SqlDatabase } from '../../../delivery/index.js';
import type { DocumentStore } from './document-store.js';
import { createMemoryDocumentStore } from './memory-document-store.js';
import { createSqlDocumentStore } from './sql-document-store.js';

export type * from './document-store.js';

/**
 * Creates the desk's store in a database, or in memory without one. The first call to the store creates its tables;
 * when that fails, the caller gets the error and the next call tries again.
 */
export const createDocumentStore = (database: SqlDatabase | null): DocumentStore =>
  database ? createSqlDocumentStore(database) : createMemoryDocumentStore();

/** The same, with its tables created, so that a command fails before it does anything else. */
export async function openDocumentStore(database: SqlDatabase | null): Promise<DocumentStore> {
  const store = createDocumentStore(database);
  await store.head();
  return store;
}

/** The kinds of documents that the desk stores. */
export const DOCUMENT_KIND = {
  conversation: 'conversation',
  /** A reply or close of an agent, until the delivery has it. */
  outgoing: 'outgoing',
  /** A conversation in the history of its customer; the group is the customer's key. */
  history: 'history',
  agent: 'agent',
  session: 'session',
  /** The conversation that an agent is viewing. */
  presence: 'presence',
  /** A note that mentions an agent; the group is the agent. */
  mention: 'mention',
  /** The agents who are connected to a process. */
  connection: 'connection',
  /** An agent who is away. */
  away: 'away',
  /** A conversation that a rule has assigned, until its agent replies. */
  offer: 'offer',
  /** The push subscription of a browser; the group is its agent. */
  pushSubscription: 'push-subscription',
  /** The pages of an agent that are visible. */
  visiblePages: 'visible-pages',
  /** The notice that a conversation waits for too long. */
  escalation: 'escalation',
  settings: 'settings',
  webhook: 'webhook',
  /** An event for a webhook; the group is the webhook, until it is delivered. */
  webhookDelivery: 'webhook-delivery',
} as const;

/** The topics of the desk's journal: updates of conversations for the page, and the audit log. */
export const JOURNAL_TOPIC = { conversation: 'conversation', audit: 'audit' } as const;
