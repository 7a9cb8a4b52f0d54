import { type RequestHandler, Router } from 'express';
import { type Bridge, type BridgeOptions, checkBridgeOptionNames, createBridge } from '../../bridge/index.js';
import { logOf, withRedaction } from '../../internal/create-log.js';
import { checkOptionNames, configError, type Log } from '../../internal/index.js';
import type { Receiver } from '../../receiver/index.js';
import { createDeskAdapter } from './adapter.js';
import { createAccount } from './agents/account.js';
import { type Agents, createAgents } from './agents/agents.js';
import { createLoginLimits } from './agents/login-throttle.js';
import { createSessions } from './agents/sessions.js';
import type { AgentInput } from './agents/stored-agent.js';
import { createTokens } from './agents/tokens.js';
import { createAssigner } from './assignment/assigner.js';
import { createAvailability } from './assignment/availability.js';
import { createFindTarget } from './assignment/routing.js';
import { type AssistOptions, createAssist } from './assist/assist.js';
import { createRejectionLog, runForClient } from './audit.js';
import { createConversationQueries } from './conversations/conversation-queries.js';
import { createConversationRecords } from './conversations/conversation-records.js';
import { createCustomerQueries, type FindCustomer } from './conversations/customer-queries.js';
import { createDeskConversations } from './conversations/index.js';
import { createDeadLetters } from './dead-letters.js';
import { createHours } from './hours.js';
import { addAccountRoutes } from './http/account-routes.js';
import { createActOnConversation } from './http/act-on-conversation.js';
import { addAdminRoutes } from './http/admin-routes.js';
import { answerErrors, answerUnknown, createAgentRoutes } from './http/agent-routes.js';
import { addApiRoutes } from './http/api-routes.js';
import { addAssignmentRoutes } from './http/assignment-routes.js';
import { addAssistRoutes } from './http/assist-routes.js';
import { addBulkRoutes } from './http/bulk-routes.js';
import { createBrowserSessions, createFindCurrentAgent, type HostSession } from './http/current-agent.js';
import { deskHeaders } from './http/headers.js';
import { addInboxRoutes } from './http/inbox-routes.js';
import { createLogin, createOneTimeLink } from './http/login.js';
import { createOpenIdLogin, type OpenIdOptions } from './http/openid.js';
import { createSameOrigin, parsePublicUrl, requireHost } from './http/origin.js';
import { createPageFiles } from './http/page-files.js';
import { addProgramRoutes } from './http/program-routes.js';
import { addPushRoutes } from './http/push-routes.js';
import { createSessionCookie } from './http/session-cookie.js';
import { createLiveUpdates } from './live-updates.js';
import { createEscalation, type EscalationOptions } from './notify/escalation.js';
import { createPushSubscriptions } from './notify/push-subscriptions.js';
import { createWebPush, type WebPushOptions } from './notify/web-push.js';
import { startDeskRetention } from './retention.js';
import {
  createCannedReplies,
  createLoginPolicy,
  createRules,
  createSavedFilters,
  createTeams,
} from './settings.js';
import { createSignals } from './signals.js';
import { createDocumentStore, type DocumentStore } from './store/index.js';
import { createTeaching } from './teaching.js';
import { createWebhookSender } from './webhooks/webhook-sender.js';
import { createWebhooks } from './webhooks/webhooks.js';

export interface DeskOptions {
  /** The receiver whose handoffs come to the desk. */
  readonly receiver: Receiver;
  /**
   * The agents: `stored` for agents added with `handoff-kit desk add-agent`, or a function that returns the agent
   * who is logged in at the host application.
   */
  readonly agents: 'stored' | HostSession;
  /**
   * The public URL of the desk. Links to conversations and the check that requests come from its own page use it; on
   * HTTPS the cookie is bound to this host (`Secure`, `__Host-`) and browsers are told to use HTTPS only. Requests for
   * another host are refused.
   *
   * @example publicUrl: 'https://help.example.com/desk'
   */
  readonly publicUrl?: string;
  /** Login with an OpenID Connect provider, in addition to passwords. Needs {@link publicUrl} and the package `openid-client`. */
  readonly openId?: OpenIdOptions;
  /** Logs these agents in by links that work once: `desk.oneTimePaths`. For trying the desk out; default role `agent`. */
  readonly oneTimeLinksFor?: readonly AgentInput[];
  /**
   * Texts to the user, business hours, agents' names: options of `createBridge`. Business hours that an administrator
   * sets in the page come before `hours`, `whenClosed` and `messages.outsideHours`.
   */
  readonly bridge?: Omit<BridgeOptions, 'receiver' | 'adapter'>;
  /** A language model that drafts, summarises and translates for agents. Without it, the page shows nothing of this. */
  readonly assist?: AssistOptions;
  /** Returns the application's details about a customer, shown beside the conversation. */
  readonly customer?: FindCustomer;
  /**
   * Notifications while no page of the desk is open, for agents who turn them on in their browser. On when the package
   * `web-push` is installed; `false` turns it off. Push services get no names and no words of customers.
   */
  readonly webPush?: WebPushOptions | false;
  /**
   * Tells the team by Slack, a webhook or e-mail when a conversation waits for too long, once per wait. Needs
   * {@link publicUrl}, for the link.
   *
   * @example escalation: { afterMinutes: 5, to: { slack: 'https://hooks.slack.com/services/…' } }
   */
  readonly escalation?: EscalationOptions;
  /** How many days closed conversations, the journal and the audit log are kept. Default 30. */
  readonly keepDays?: number;
  /** After how many minutes without activity an agent is logged out. Default 30. */
  readonly idleMinutes?: number;
  /** A pino logger, or one like it; `false` for none. Default: `createLog()`, which writes to standard output. */
  readonly log?: Log | false;
}

const OPTION_NAMES: readonly (keyof DeskOptions)[] = [
  'receiver',
  'agents',
  'publicUrl',
  'openId',
  'oneTimeLinksFor',
  'bridge',
  'assist',
  'customer',
  'webPush',
  'escalation',
  'keepDays',
  'idleMinutes',
  'log',
];

/** A desk: an Express handler, mounted with `app.use('/desk', desk)`. */
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
  /**
   * Closes the desk and waits for running work, by default up to 10 seconds. Close the receiver first.
   *
   * @example
   * await receiver.close();
   * await desk.close({ timeoutMs: 5_000 });
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Creates a desk, where agents answer handed-over conversations in the browser.
 *
 * @example
 * app.use('/webhook', receiver);
 * app.use('/desk', createDesk({ receiver, agents: 'stored' }));
 */
export function createDesk(options: DeskOptions): Desk {
  checkOptionNames('createDesk', options, OPTION_NAMES);
  checkBridgeOptionNames('bridge of createDesk', options.bridge);
  const { receiver, openId, oneTimeLinksFor = [] } = options;
  const publicUrl = parsePublicUrl(options.publicUrl);
  const keepMs = milliseconds('keepDays', options.keepDays ?? 30, 86_400_000);
  const idleMs = milliseconds('idleMinutes', options.idleMinutes ?? 30, 60_000);
  const log = withRedaction(logOf(options.log));
  const { database, queues, isOutboxPaused } = receiver.storage;
  const unobserved = createDocumentStore(database);
  const subscriptions = createPushSubscriptions(unobserved, createAgents(unobserved));
  const webPush = createWebPush({
    store: unobserved,
    subscriptions,
    records: createConversationRecords(unobserved),
    teams: createTeams(unobserved),
    log,
    options: options.webPush ?? {},
    subject: publicUrl?.isHttps ? publicUrl.href : 'mailto:desk@localhost.invalid',
  });
  const store = webPush.observe(unobserved);
  const agents = createAgents(store);
  const teams = createTeams(store);
  const rules = createRules(store);
  const findTarget = createFindTarget({ agents, teams, rules });
  // Greeted users have their first reply: agents need not see a deadline for it.
  const isGreeted = receiver.hasGreeting || options.bridge?.messages?.greeting !== undefined;
  const conversations = createDeskConversations(store, log, isGreeted, findTarget);
  const { audit, records } = conversations;
  const account = createAccount(store);
  const policy = createLoginPolicy(store);
  const sessions = createSessions(store, { idleMs, onEnd: (ids) => subscriptions.endSessions(ids) });
  const rejections = createRejectionLog(audit, log);

  const hostSession = options.agents === 'stored' ? null : options.agents;
  if (openId && hostSession)
    throw configError('openId is for stored agents; with a host application, log in there.');
  const oneTimeLogins = oneTimeLinksFor.map((agent) => ({ link: createOneTimeLink(), agent }));
  const cookie = createSessionCookie(publicUrl);
  const browserSessions = createBrowserSessions({ agents, policy, sessions, audit, hostSession, cookie });
  const tokens = createTokens(store, agents);
  const findAgent = createFindCurrentAgent({ tokens, browserSessions, rejections });
  const isSameOrigin = createSameOrigin(publicUrl);
  const openIdLogin =
    openId && createOpenIdLogin({ options: openId, publicUrl, browserSessions, rejections, log });

  const urlOf = publicUrl && ((id: string) => `${publicUrl.href}/#/${encodeURIComponent(id)}`);
  if (options.escalation && !urlOf)
    throw configError('escalation needs publicUrl: the team gets a link to the conversation.');
  const escalation =
    options.escalation && urlOf ? createEscalation({ store, log, options: options.escalation, urlOf }) : null;
  const hours = createHours(store, log, options.bridge);
  const queries = createConversationQueries(store);
  const teaching = createTeaching(store, receiver.platforms);
  const assist = options.assist && createAssist(options.assist, { queries, teaching, audit, log });
  // From here on, timers run until `close`: wrong options were refused before.
  const availability = createAvailability(store, log);
  const assigner = createAssigner({ store, records, agents, teams, rules, availability, log });
  availability.onChange(() => assigner.kick());
  const webhooks = createWebhooks(store);
  const webhookSender = createWebhookSender({ store, webhooks, log });
  const adapter = createDeskAdapter(conversations, assigner, (id) => urlOf?.(id), [
    webhookSender,
    ...(escalation ? [escalation] : []),
  ]);
  const bridge = createBridge({ log, ...options.bridge, ...hours.bridgeOptions, receiver, adapter });
  const updates = createLiveUpdates(store, log);
  const signals = createSignals({ store, queues, isOutboxPaused, availability, log });
  const retention = startDeskRetention({ store, sessions, log, keepMs });

  const limits = createLoginLimits();
  const apiRoutes = createAgentRoutes({
    findAgent,
    touch: ({ session, agent }) => (session ? sessions.touch(session) : tokens.touch(agent.id)),
    isSameOrigin,
    rejections,
  });
  const filters = createSavedFilters(store);
  addInboxRoutes(apiRoutes, {
    hours,
    store,
    queues,
    filters,
    presence: signals.presence,
    customers: createCustomerQueries({
      store,
      records,
      findCustomer: options.customer ?? null,
      log,
    }),
  });
  if (assist) addAssistRoutes(apiRoutes, assist);
  const deadLetters = createDeadLetters(store, queues, conversations);
  const act = createActOnConversation({ conversations, agents, teams, deadLetters, assigner });
  addBulkRoutes(apiRoutes, { act, rejections, log });
  addApiRoutes(apiRoutes, {
    hours,
    store,
    conversations,
    queries,
    updates,
    signals,
    agents,
    canned: createCannedReplies(store),
    filters,
    teaching,
    deadLetters,
    queues,
    findAgent,
    idleMs,
    bots: [...receiver.platforms.keys()],
    availability,
    act,
    teams,
    canAssist: assist !== undefined,
    hasPlatform: [...receiver.platforms.values()].some((platform) => platform !== null),
    hasPush: webPush.isOn,
  });

  addAccountRoutes(apiRoutes, {
    account,
    policy,
    sessions,
    browserSessions,
    limits,
    audit,
    subscriptions,
    issuer: (request) => `Desk ${publicUrl?.host ?? request.host}`,
    hasPasswords: hostSession === null,
  });
  addPushRoutes(apiRoutes, webPush, subscriptions);
  addAdminRoutes(apiRoutes, { store, agents, account, policy, teams, hours, audit });
  addAssignmentRoutes(apiRoutes, { rules, availability, onRules: () => assigner.kick() });
  addProgramRoutes(apiRoutes, { tokens, webhooks });

  const router = Router();
  router.use((request, _response, next) => runForClient(request.ip, next));
  router.use(deskHeaders(publicUrl?.isHttps ?? false));
  if (publicUrl) router.use(requireHost(publicUrl));
  if (openIdLogin) router.use(openIdLogin);
  const openIdName = openId ? (openId.name ?? new URL(openId.issuer).host) : null;
  router.use(
    createLogin({
      openIdName,
      account,
      limits,
      browserSessions,
      rejections,
      isSameOrigin,
      hostSession,
      oneTimeLogins,
    }),
  );
  router.use(apiRoutes.router, apiRoutes.logRejections);
  router.use('/api', answerUnknown(findAgent));
  router.use(createPageFiles(browserSessions, hostSession));
  router.use(answerErrors(log));

  return Object.assign(router as RequestHandler, {
    oneTimePaths: oneTimeLogins.map(({ link }) => `/enter?token=${link.token}`),
    agents,
    bridge,
    store,
    async close(within?: { readonly timeoutMs?: number }) {
      webPush.stop();
      retention.stop();
      availability.stop();
      signals.stop();
      updates.stop();
      await bridge.close(within);
    },
  });
}

function milliseconds(option: 'keepDays' | 'idleMinutes', value: number, unit: number): number {
  if (Number.isFinite(value) && value > 0) return value * unit;
  throw configError(
    `${option} must be a number of ${option === 'keepDays' ? 'days' : 'minutes'}, more than 0.`,
  );
}
