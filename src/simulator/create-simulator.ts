import { setMaxListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { authenticate, createBots, type SimulatedBots } from './bots.js';
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
import { agentRoutes, createPlatformApp, knowledgeRoutes, webhookRoutes } from './platform-app.js';
import { createWebhookProber, type ProbeInput, type WebhookCheckResult } from './probe.js';
import { type BotMessageInput, botMessageBody } from './sending/bodies.js';
import { createSecretMask, createTrafficRecorder, type TrafficLog } from './traffic.js';
import { createWebhookSender, type SentWebhook } from './webhook-sender.js';

/** The simulated platform: its HTTP endpoints, and the same state from code. */
export interface Simulator extends Pick<HttpServer, 'listen' | 'close' | 'url'> {
  /** A `node:http` listener or Express middleware, for use without {@link Simulator.listen}. */
  readonly app: RequestListener;
  /** The clock from the options; `systemClock` by default. */
  readonly clock: Clock;
  readonly bots: SimulatedBots;
  /**
   * Injected faults.
   *
   * @example simulator.faults.set('duplicate', { on: ['chat'], times: 1 })
   */
  readonly faults: Faults;
  /**
   * Every request and answer in both directions, with secrets masked.
   *
   * @example for (const { url, answer } of simulator.traffic.exchanges()) console.log(url, answer?.status);
   */
  readonly traffic: TrafficLog;
  /** The user of the page's chat window. */
  readonly customer: SimulatedCustomer;
  /**
   * A user asks for a human. Resolves when the receiver has answered establish, whatever the answer.
   *
   * @example
   * const conversation = await simulator.requestHandoff({ user: { userId: 'ada' } });
   * if (conversation.state === 'busy') console.log('the receiver refused the handoff');
   */
  requestHandoff: (input?: HandoffRequestInput) => Promise<HandoffConversation>;
  /** The handoff with this id, even before establish is answered. */
  conversation: (id: string) => HandoffConversation | undefined;
  /** Every stored handoff, oldest first. */
  conversations: () => readonly HandoffConversation[];
  /**
   * Delivers a bot's answer to its message webhook. Resolves to the receiver's answer.
   *
   * @example const { status } = await simulator.botMessage({ text: 'Your parcel is on its way.' });
   */
  botMessage: (input?: BotMessageInput & { botId?: string }) => Promise<SentWebhook>;
  /**
   * Sends an availability test (`istest`) to one webhook. Resolves to the receiver's answer.
   *
   * @example const { accepted } = await simulator.probe({ endpoint: 'chat' });
   */
  probe: (input?: ProbeInput) => Promise<SentWebhook>;
  /** Runs the platform's webhook check for the bot with this API key. Throws the platform's refusal. */
  check: (apiKey: string) => Promise<WebhookCheckResult[]>;
  /** The knowledge documents of a bot. Default: the first bot. */
  documents: (botId?: string) => readonly QaDocument[];
  /** Resolves when no delivery is queued or in flight. */
  idle: () => Promise<void>;
}

/**
 * Creates a simulator of the platform.
 *
 * @example
 * const simulator = createSimulator({
 *   bots: [{
 *     id: 'bot-1',
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
  // Every delivery in flight adds a server.
  setMaxListeners(0, signal);

  const bots = createBots(settings.bots);
  const faults = createFaults(clock);
  const traffic = createTrafficRecorder({
    clock,
    mask: createSecretMask(bots),
    limit: settings.trafficLimit,
  });
  const sender = createWebhookSender({ clock, faults, traffic, signal });
  const { deliver } = sender;
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
    bots,
    clock,
    deliver,
    deliveryTimeoutMs: settings.deliveryTimeoutMs,
    waitTimeoutMs: settings.waitTimeoutMs,
    idleTimeoutMs: settings.idleTimeoutMs,
    earlyReplies: settings.earlyReplies,
    keep: settings.keepConversations,
  });

  const botMessage: Simulator['botMessage'] = async ({ botId, ...input } = {}) => {
    const bot = bots.get(botId);
    if (!bot.message)
      throw new SimulatorError('NO_MESSAGE_WEBHOOK', `bot ${bot.id} has no message webhook; set its message`);
    const body = botMessageBody(input, clock.now());
    return deliver({
      event: 'message',
      url: bot.message.url,
      body,
      credentials: bot.message,
      timeoutMs: settings.deliveryTimeoutMs,
      queueKey: body.conversation_id,
    });
  };

  conversations.onReply(({ conversation, reply }) => {
    if (!bots.get(conversation.botId).message?.agentReplies) return;
    const { botId, botConversationId: conversationId, user } = conversation;
    const { userId = null, anonymousId = null } = user;
    void botMessage({ botId, text: reply.text, conversationId, userId, anonymousId });
  });

  const customer = createCustomer({
    bots,
    clock,
    conversations,
    botMessage,
    answerTo: knowledge.answerTo,
  });
  const { allowedHosts } = settings;
  const page = createPageRoutes({ bots, customer, faults, traffic, log, allowedHosts });
  const endpoints = createEndpoints({ bots, faults, traffic, log, failureStatus: settings.failureStatus });
  const handlers = {
    ...knowledgeRoutes(endpoints, knowledge),
    ...webhookRoutes(endpoints, prober, faults),
    ...agentRoutes(endpoints, conversations, clock),
  };
  const app = createPlatformApp({ handlers, page: page.router, openapi: settings.openapi, log });
  const server = createHttpServer(app);

  return {
    app,
    clock,
    bots,
    faults,
    traffic,
    customer,
    listen: server.listen,
    url: server.url,
    requestHandoff: (input = {}) => conversations.request(input),
    conversation: conversations.get,
    conversations: conversations.list,
    botMessage,
    probe: async ({ botId, ...input } = {}) => prober.probe(bots.get(botId), input),
    check: async (apiKey) => prober.check(authenticate(bots, `Bearer ${apiKey}`)),
    documents: (botId) => knowledge.documents(bots.get(botId).id),
    idle: sender.idle,
    async close() {
      closing.abort();
      conversations.dispose();
      page.close();
      sender.close();
      await server.close();
    },
  };
}
