import { findHumanService, type ResolvedBot, type ResolvedHumanService } from './bots.js';
import type { Clock } from './clock.js';
import { SimulatorError } from './error.js';
import { chatBody, closeBody, establishBody, newId, probeBody } from './sending/bodies.js';
import { handoffUrl } from './sending/post.js';
import type { HANDOFF_PATHS } from './specification.js';
import type { SentWebhook, WebhookSender } from './webhook-sender.js';

/** The result of an availability test, as the platform reports it. */
export interface WebhookCheckResult {
  readonly type: 'message' | 'human_service';
  /** The id of the human-service component; `null` for the message webhook. */
  readonly component_id: string | null;
  /** The name of the component; `null` for the message webhook. */
  readonly component_name: string | null;
  readonly webhook_url: string;
  /** Whether the webhook answered with status 200. */
  readonly reachable: boolean;
  /** The status of the answer; `null` if there was none. */
  readonly http_status: number | null;
  readonly latency_ms: number;
}

export interface ProbeInput {
  /** Default: the first bot. */
  botId?: string;
  /** A human-service component. Default: the message webhook is tested. */
  componentId?: string;
  /** A handoff endpoint of the component, tested with its format. Default: the component's base URL. */
  endpoint?: keyof typeof HANDOFF_PATHS;
}

/** Sends availability tests: requests with `istest: true`. */
export interface WebhookProber {
  /** Tests one webhook. */
  probe: (bot: ResolvedBot, input: Omit<ProbeInput, 'botId'>) => Promise<SentWebhook>;
  /** Tests all webhooks of a bot concurrently. */
  check: (bot: ResolvedBot) => Promise<WebhookCheckResult[]>;
}

export function createWebhookProber(options: {
  clock: Clock;
  deliver: WebhookSender['deliver'];
  timeoutMs: number;
}): WebhookProber {
  const { clock, timeoutMs } = options;

  const send = (url: string, credentials: object, body: object) =>
    options.deliver({ event: 'probe', url, credentials, body, timeoutMs, queueKey: newId('message') });

  const probeMessage = (bot: ResolvedBot) => {
    if (bot.message) return send(bot.message.url, bot.message, probeBody(clock.now()));
    throw new SimulatorError('NO_MESSAGE_WEBHOOK', `bot ${bot.id} has no message webhook; set its message`);
  };

  const probeComponent = (
    bot: ResolvedBot,
    component: ResolvedHumanService,
    endpoint: ProbeInput['endpoint'],
  ) => {
    if (!endpoint) return send(component.url, component, probeBody(clock.now()));
    const body = { ...testBody(bot, endpoint, clock.now()), istest: true };
    return send(handoffUrl(component.url, endpoint), component, body);
  };

  return {
    async probe(bot, { componentId, endpoint }) {
      if (componentId === undefined && endpoint === undefined) return probeMessage(bot);
      return probeComponent(bot, findHumanService(bot, componentId), endpoint);
    },
    async check(bot) {
      const tests = bot.humanServices.map(async (component) =>
        result('human_service', component, await probeComponent(bot, component, undefined), component.url),
      );
      if (bot.message) {
        const { url } = bot.message;
        tests.unshift(probeMessage(bot).then((delivery) => result('message', null, delivery, url)));
      }
      return Promise.all(tests);
    },
  };
}

function result(
  type: 'message' | 'human_service',
  component: ResolvedHumanService | null,
  delivery: SentWebhook,
  url: string,
): WebhookCheckResult {
  return {
    type,
    component_id: component?.componentId ?? null,
    component_name: component?.componentName ?? null,
    webhook_url: url,
    reachable: delivery.accepted,
    http_status: delivery.status,
    latency_ms: delivery.latencyMs,
  };
}

function testBody(bot: ResolvedBot, endpoint: keyof typeof HANDOFF_PATHS, timestamp: number): object {
  const conversationId = newId('handoff');
  if (endpoint === 'chat') return chatBody(conversationId, timestamp, 'availability test');
  if (endpoint === 'close') return closeBody(conversationId, timestamp, 'USER_CLOSED');
  return establishBody({ conversationId, timestamp, botId: bot.id, user: {}, transcript: [] });
}
