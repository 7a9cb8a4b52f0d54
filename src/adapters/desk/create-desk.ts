import { type Request, type RequestHandler, Router } from 'express';
import { type Bridge, type BridgeOptions, createBridge } from '../../bridge/index.js';
import { createLog, withRedaction } from '../../internal/create-log.js';
import { configError, type Log } from '../../internal/index.js';
import type { Receiver } from '../../receiver/index.js';
import { createDeskAdapter } from './adapter.js';
import { type Agents, createAgents } from './agents/agents.js';
import { createOneTimeLink } from './agents/one-time-link.js';
import { createSessions } from './agents/sessions.js';
import type { AgentView } from './api.js';
import { createRejectionLog } from './audit.js';
import { createCannedReplies } from './canned-replies.js';
import { createConversationQueries } from './conversation-queries.js';
import { createDeskConversations } from './conversations/index.js';
import { createCustomerQueries, type FindCustomer } from './customer-queries.js';
import { createDeadLetters } from './dead-letters.js';
import { answerErrors, answerUnknown, createAgentRoutes } from './http/agent-routes.js';
import { addApiRoutes } from './http/api-routes.js';
import { createBrowserSessions, type HostSession } from './http/current-agent.js';
import { deskHeaders } from './http/headers.js';
import { addInboxRoutes } from './http/inbox-routes.js';
import { createLogin } from './http/login.js';
import { createPageFiles } from './http/page-files.js';
import { createSameOrigin } from './http/same-origin.js';
import { createLiveUpdates } from './live-updates.js';
import { startRetention } from './retention.js';
import { createSavedFilters } from './saved-filters.js';
import { createSignals } from './signals.js';
import { createDocumentStore, type DocumentStore } from './store/index.js';
import { createTeaching } from './teaching.js';

/** Options of {@link createDesk}. */
export interface DeskOptions {
  /** The receiver whose handoffs come to the desk. */
  readonly receiver: Receiver;
  /**
   * The agents: `stored` for agents added with `handoff-kit desk add-agent`, or a function that returns the agent
   * who is logged in at the host application.
   */
  readonly agents: 'stored' | HostSession;
  /**
   * The public URL of the desk, for links to conversations and for the check that requests come from its own page.
   *
   * @example 'https://help.example.com/desk'
   */
  readonly publicUrl?: string;
  /** Whether cookies are for HTTPS only. Default: as the request came, seen through `trust proxy` of Express. */
  readonly secureCookies?: boolean;
  /** The pages that may show the desk in a frame. Default `none`. */
  readonly framedBy?: 'none' | 'same-origin';
  /** Logs these agents in by links that work once: `desk.oneTimePaths`. For trying the desk out. */
  readonly oneTimeLinksFor?: readonly AgentView[];
  /** Whether users get a first reply automatically, so that agents see no deadline for it. Default `false`. */
  readonly isGreeted?: boolean;
  /** Texts to the user, business hours, agents' names: options of `createBridge`. */
  readonly bridge?: Omit<BridgeOptions, 'receiver' | 'adapter'>;
  /** Gives what the application knows about a customer, to be shown beside the conversation. */
  readonly customer?: FindCustomer;
  /** How many days closed conversations, the journal and the audit log are kept. Default 30. */
  readonly keepDays?: number;
  /** A pino logger, or one like it. */
  readonly log?: Log;
}

/** A desk: an Express handler, mounted such as `app.use('/desk', desk)`. */
export interface Desk extends RequestHandler {
  /** The paths of the one-time links below the mount path, in the order of {@link DeskOptions.oneTimeLinksFor}. */
  readonly oneTimePaths: readonly string[];
  /** The agents who may work here. */
  readonly agents: Agents;
  readonly bridge: Bridge;
  /**
   * The desk's storage, in the database of the receiver's delivery, or in memory without one.
   *
   * @example
   * const lines = await readAudit(desk.store, 100);
   */
  readonly store: DocumentStore;
  /** Closes the desk. Close the receiver first. */
  close(): Promise<void>;
}

/**
 * Creates a desk, where human agents answer handed-over conversations in the browser.
 *
 * @example
 * app.use('/webhook', receiver);
 * app.use('/desk', createDesk({ receiver, agents: 'stored' }));
 */
export function createDesk(options: DeskOptions): Desk {
  const { receiver, publicUrl, oneTimeLinksFor = [], secureCookies } = options;
  const keepMs = daysToMs(options.keepDays ?? 30);
  const log = withRedaction(options.log ?? createLog());
  const { database, queues, isOutboxPaused } = receiver.storage;
  const store = createDocumentStore(database);
  const conversations = createDeskConversations(store, log, options.isGreeted ?? false);
  const { audit } = conversations;
  const agents = createAgents(store);
  const sessions = createSessions(store);
  const updates = createLiveUpdates(store, log);
  const signals = createSignals({ store, queues, isOutboxPaused, log });
  const rejections = createRejectionLog(audit, log);
  const retention = startRetention({ store, sessions, log, keepMs });

  const hostSession = options.agents === 'stored' ? null : options.agents;
  const oneTimeLogins = oneTimeLinksFor.map((agent) => ({ link: createOneTimeLink(), agent }));
  const isSecure = (request: Request) => secureCookies ?? request.secure;
  const browserSessions = createBrowserSessions({ agents, sessions, audit, hostSession, isSecure });
  const findAgent = browserSessions.find;
  const isSameOrigin = createSameOrigin(publicUrl);

  const urlOf = (id: string) => publicUrl && `${publicUrl.replace(/\/+$/, '')}/#/${encodeURIComponent(id)}`;
  const adapter = createDeskAdapter(conversations, urlOf);
  const bridge = createBridge({ log, ...options.bridge, receiver, adapter });

  const apiRoutes = createAgentRoutes({ findAgent, isSameOrigin, rejections });
  const filters = createSavedFilters(store);
  addInboxRoutes(apiRoutes, {
    store,
    queues,
    filters,
    presence: signals.presence,
    customers: createCustomerQueries({
      store,
      records: conversations.records,
      findCustomer: options.customer ?? null,
      log,
    }),
  });
  addApiRoutes(apiRoutes, {
    store,
    conversations,
    queries: createConversationQueries(store),
    updates,
    signals,
    agents,
    canned: createCannedReplies(store),
    filters,
    teaching: createTeaching(store, receiver.services),
    deadLetters: createDeadLetters(store, queues, conversations),
    queues,
    findAgent,
    aiAgents: [...receiver.services.keys()],
    canTeach: [...receiver.services.values()].some((service) => service !== null),
  });

  const router = Router();
  router.use(deskHeaders(options.framedBy ?? 'none'));
  router.use(createLogin({ agents, browserSessions, rejections, isSameOrigin, hostSession, oneTimeLogins }));
  router.use(apiRoutes.router, apiRoutes.logRejections);
  router.use('/api', answerUnknown(findAgent));
  router.use(createPageFiles(browserSessions, hostSession));
  router.use(answerErrors(log));

  return Object.assign(router as RequestHandler, {
    oneTimePaths: oneTimeLogins.map(({ link }) => `/enter?token=${link.token}`),
    agents,
    bridge,
    store,
    async close() {
      retention.stop();
      signals.stop();
      updates.stop();
      await bridge.close();
    },
  });
}

function daysToMs(days: number): number {
  if (Number.isFinite(days) && days > 0) return days * 86_400_000;
  throw configError('keepDays must be a number of days, more than 0.');
}
