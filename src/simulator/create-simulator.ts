import { setMaxListeners } from 'node:events';
import type { Express } from 'express';
import type { WebhookCheckResult } from '../protocol/index.js';
import { authenticate, createAgents, type SimulatedAgents } from './agents.js';
import type { Clock } from './clock.js';
import type { HandoffConversation } from './conversation.js';
import { createConversationRegistry, type HandoffRequestInput } from './conversation-registry.js';
import { createCustomer, type SimulatedCustomer } from './customer.js';
import { SimulatorError } from './error.js';
import { createFaults, type Faults } from './faults.js';
import { createEndpoints } from './http/endpoint.js';
import { createHttpServer, type HttpServer } from './http/server.js';
import { createFetchFile, createKnowledgeBase, type QaDocument } from './knowledge/knowledge-base.js';
import { type SimulatorOptions, withDefaults } from './options.js';
import { createPageRoutes } from './page-routes.js';
import { createWebhookProber, type ProbeInput } from './probe.js';
import { type AgentMessageInput, agentMessageBody } from './sending/bodies.js';
import { createServiceApp, humanRoutes, knowledgeRoutes, webhookRoutes } from './service-app.js';
import { createSecretMask, createTrafficRecorder, type TrafficLog } from './traffic.js';
import { createWebhookSender, type WebhookDelivery } from './webhook-sender.js';

/** The platform's service in miniature: its endpoints over HTTP, and the same state from code. */
export interface Simulator extends Pick<HttpServer, 'listen' | 'close' | 'url'> {
  /** The Express app, to be mounted or tested without {@link Simulator.listen}. */
  readonly app: Express;
  readonly clock: Clock;
  readonly agents: SimulatedAgents;
  readonly faults: Faults;
  readonly traffic: TrafficLog;
  /** The customer in the page's chat window. */
  readonly customer: SimulatedCustomer;
  /** A user asks for a human: resolves when establish was answered, whatever the answer. */
  requestHandoff: (input?: HandoffRequestInput) => Promise<HandoffConversation>;
  /** The handoff of an id, also while its establish is on its way. */
  conversation: (id: string) => HandoffConversation | undefined;
  /** Every handoff that is kept, oldest first. */
  conversations: () => readonly HandoffConversation[];
  /** An agent says something: delivers it to the agent's message webhook (4.5). */
  agentMessage: (input?: AgentMessageInput & { agentId?: string }) => Promise<WebhookDelivery>;
  /** Tests one webhook with an `istest` request. */
  probe: (input?: ProbeInput) => Promise<WebhookDelivery>;
  /** Tests every webhook of the agent of a key, as 4.3 does; throws what 4.3 would refuse. */
  check: (apiKey: string) => Promise<WebhookCheckResult[]>;
  /** The documents of an agent (the first one by default). */
  documents: (agentId?: string) => readonly QaDocument[];
  /** Resolves when no delivery is queued or on its way. */
  idle: () => Promise<void>;
}

/**
 * Makes a simulator.
 *
 * @example
 * const simulator = createSimulator({
 *   agents: [{
 *     id: 'agent-1',
 *     apiKey: 'key-1',
 *     humanServices: [{ componentId: 'desk', url: 'http://127.0.0.1:3000/webhook' }],
 *   }],
 * });
 * const baseUrl = await simulator.listen();
 * const conversation = await simulator.requestHandoff();
 * await conversation.say('Hello?');
 * console.log(await conversation.nextReply());
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const settings = withDefaults(options);
  const { clock, log } = settings;
  const closing = new AbortController();
  const { signal } = closing;
  // Every delivery under way listens to it.
  setMaxListeners(0, signal);

  const agents = createAgents(settings.agents);
  const faults = createFaults(clock);
  const traffic = createTrafficRecorder({
    clock,
    mask: createSecretMask(agents),
    limit: settings.trafficLimit,
  });
  const deliverer = createWebhookSender({ clock, faults, traffic, signal });
  const { deliver } = deliverer;
  const prober = createWebhookProber({ clock, deliver, timeoutMs: settings.probeTimeoutMs });
  const knowledge = createKnowledgeBase(
    createFetchFile({
      traffic,
      signal,
      maxBytes: settings.fileMaxBytes,
      timeoutMs: settings.fileTimeoutMs,
    }),
  );
  const conversations = createConversationRegistry({
    agents,
    clock,
    deliver,
    deliveryTimeoutMs: settings.deliveryTimeoutMs,
    waitTimeoutMs: settings.waitTimeoutMs,
    idleTimeoutMs: settings.idleTimeoutMs,
    keep: settings.keepConversations,
  });

  const agentMessage: Simulator['agentMessage'] = async ({ agentId, ...input } = {}) => {
    const agent = agents.get(agentId);
    if (!agent.message)
      throw new SimulatorError(
        'NO_MESSAGE_WEBHOOK',
        `agent ${agent.id} has no message webhook; set its message`,
      );
    const body = agentMessageBody(input, clock.now());
    return deliver({
      event: 'message',
      url: agent.message.url,
      body,
      credentials: agent.message,
      timeoutMs: settings.deliveryTimeoutMs,
      queueKey: body.conversation_id,
    });
  };

  conversations.onReply(({ conversation, reply }) => {
    if (!agents.get(conversation.agentId).message?.humanResponses) return;
    const { agentId, agentConversationId: conversationId, user } = conversation;
    const { userId = null, anonymousId = null } = user;
    void agentMessage({ agentId, text: reply.text, conversationId, userId, anonymousId });
  });

  const customer = createCustomer({
    agents,
    clock,
    conversations,
    agentMessage,
    answerTo: knowledge.answerTo,
  });
  const { allowedHosts, framedBy } = settings;
  const page = createPageRoutes({ agents, customer, faults, traffic, log, allowedHosts, framedBy });
  const endpoints = createEndpoints({ agents, faults, traffic, log, failureStatus: settings.failureStatus });
  const handlers = {
    ...knowledgeRoutes(endpoints, knowledge),
    ...webhookRoutes(endpoints, prober, faults),
    ...humanRoutes(endpoints, conversations, clock),
  };
  const app = createServiceApp({ handlers, page: page.router, openapi: settings.openapi, log });
  const listener = createHttpServer(app);

  return {
    app,
    clock,
    agents,
    faults,
    traffic,
    customer,
    listen: listener.listen,
    url: listener.url,
    requestHandoff: (input = {}) => conversations.request(input),
    conversation: conversations.get,
    conversations: conversations.list,
    agentMessage,
    probe: async ({ agentId, ...input } = {}) => prober.probe(agents.get(agentId), input),
    check: async (apiKey) => prober.check(authenticate(agents, `Bearer ${apiKey}`)),
    documents: (agentId) => knowledge.documents(agents.get(agentId).id),
    idle: deliverer.idle,
    async close() {
      closing.abort();
      conversations.dispose();
      page.close();
      deliverer.close();
      await listener.close();
    },
  };
}
