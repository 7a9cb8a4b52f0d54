import { setMaxListeners } from 'node:events';
import type { Express } from 'express';
import type { WebhookCheckResult } from '../protocol/index.js';
import { type Agents, authenticate, createAgents } from './agents.js';
import { type AgentMessageInput, agentMessageBody } from './bodies.js';
import type { Clock } from './clock.js';
import type { HandoffConversation } from './conversation.js';
import { createConversations, type HandoffInput } from './conversations.js';
import { createApp } from './create-app.js';
import { type Customer, createCustomer } from './customer.js';
import { createDeliverer, type Delivery } from './deliver.js';
import { SimulatorError } from './error.js';
import { createFaults, type Faults } from './faults.js';
import { createEndpoints } from './http/endpoint.js';
import { createKnowledge, type QaDocument } from './knowledge/documents.js';
import { createFetchFile } from './knowledge/fetch-file.js';
import { createListener, type Listener } from './listen.js';
import { createMask } from './mask.js';
import { type SimulatorOptions, withDefaults } from './options.js';
import { createProber, type ProbeInput } from './probe.js';
import { humanRoutes } from './routes/human.js';
import { knowledgeRoutes } from './routes/knowledge.js';
import { createPage } from './routes/page.js';
import { webhookRoutes } from './routes/webhooks.js';
import { createTraffic, type Traffic } from './traffic.js';

/** The platform's service in miniature: its endpoints over HTTP, and the same state from code. */
export interface Simulator extends Pick<Listener, 'listen' | 'close' | 'url'> {
  /** The Express app, to be mounted or tested without {@link Simulator.listen}. */
  readonly app: Express;
  readonly clock: Clock;
  readonly agents: Agents;
  readonly faults: Faults;
  readonly traffic: Traffic;
  /** The customer in the page's chat window. */
  readonly customer: Customer;
  /** A user asks for a human: resolves when establish was answered, whatever the answer. */
  requestHandoff: (input?: HandoffInput) => Promise<HandoffConversation>;
  /** The handoff of an id, also while its establish is on its way. */
  conversation: (id: string) => HandoffConversation | undefined;
  /** Every handoff that is kept, oldest first. */
  conversations: () => readonly HandoffConversation[];
  /** An agent says something: delivers it to the agent's message webhook (4.5). */
  agentMessage: (input?: AgentMessageInput & { agentId?: string }) => Promise<Delivery>;
  /** Tests one webhook with an `istest` request. */
  probe: (input?: ProbeInput) => Promise<Delivery>;
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
  const traffic = createTraffic({ clock, mask: createMask(agents), limit: settings.trafficLimit });
  const deliverer = createDeliverer({ clock, faults, traffic, signal });
  const { deliver } = deliverer;
  const prober = createProber({ clock, deliver, timeoutMs: settings.probeTimeoutMs });
  const knowledge = createKnowledge(
    createFetchFile({
      traffic,
      signal,
      maxBytes: settings.fileMaxBytes,
      timeoutMs: settings.fileTimeoutMs,
    }),
  );
  const conversations = createConversations({
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
      lane: body.conversation_id,
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
  const page = createPage({ agents, customer, faults, traffic, log, allowedHosts, framedBy });
  const endpoints = createEndpoints({ agents, faults, traffic, log, failureStatus: settings.failureStatus });
  const handlers = {
    ...knowledgeRoutes(endpoints, knowledge),
    ...webhookRoutes(endpoints, prober, faults),
    ...humanRoutes(endpoints, conversations, clock),
  };
  const app = createApp({ handlers, page: page.router, openapi: settings.openapi, log });
  const listener = createListener(app);

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
