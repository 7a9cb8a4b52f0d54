import type { HANDOFF_PATHS, WebhookCheckResult } from '../protocol/index.js';
import { type Agent, type Component, findComponent } from './agents.js';
import { chatBody, closeBody, establishBody, newId, probeBody } from './bodies.js';
import type { Clock } from './clock.js';
import type { Deliverer, Delivery } from './deliver.js';
import { SimulatorError } from './error.js';
import { handoffUrl } from './handoff-url.js';

/** Which webhook to test. */
export interface ProbeInput {
  /** Default: the first agent. */
  agentId?: string;
  /** A human-service component; without one the message webhook is tested. */
  componentId?: string;
  /** A handoff endpoint of the component, tested in its own format; without one its base URL is. */
  endpoint?: keyof typeof HANDOFF_PATHS;
}

/** Tests webhooks with `istest` requests (4.3). */
export interface Prober {
  /** One test of one webhook. */
  probe: (agent: Agent, input: Omit<ProbeInput, 'agentId'>) => Promise<Delivery>;
  /** A test of every webhook of an agent, at the same time (2.4). */
  check: (agent: Agent) => Promise<WebhookCheckResult[]>;
}

/** Makes the prober. */
export function createProber(options: {
  clock: Clock;
  deliver: Deliverer['deliver'];
  timeoutMs: number;
}): Prober {
  const { clock, timeoutMs } = options;

  const send = (url: string, credentials: object, body: object) =>
    options.deliver({ event: 'probe', url, credentials, body, timeoutMs, lane: newId('message') });

  const probeMessage = (agent: Agent) => {
    if (agent.message) return send(agent.message.url, agent.message, probeBody(clock.now()));
    throw new SimulatorError(
      'NO_MESSAGE_WEBHOOK',
      `agent ${agent.id} has no message webhook; set its message`,
    );
  };

  const probeComponent = (agent: Agent, component: Component, endpoint: ProbeInput['endpoint']) => {
    if (!endpoint) return send(component.url, component, probeBody(clock.now()));
    const body = { ...testBody(agent, endpoint, clock.now()), istest: true };
    return send(handoffUrl(component.url, endpoint), component, body);
  };

  return {
    async probe(agent, { componentId, endpoint }) {
      if (componentId === undefined && endpoint === undefined) return probeMessage(agent);
      return probeComponent(agent, findComponent(agent, componentId), endpoint);
    },
    async check(agent) {
      const tests = agent.humanServices.map(async (component) =>
        result('human_service', component, await probeComponent(agent, component, undefined), component.url),
      );
      if (agent.message) {
        const { url } = agent.message;
        tests.unshift(probeMessage(agent).then((delivery) => result('message', null, delivery, url)));
      }
      return Promise.all(tests);
    },
  };
}

function result(
  type: 'message' | 'human_service',
  component: Component | null,
  delivery: Delivery,
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

function testBody(agent: Agent, endpoint: keyof typeof HANDOFF_PATHS, timestamp: number): object {
  const conversationId = newId('handoff');
  if (endpoint === 'chat') return chatBody(conversationId, timestamp, 'availability test');
  if (endpoint === 'close') return closeBody(conversationId, timestamp, 'USER_CLOSED');
  return establishBody({ conversationId, timestamp, agentId: agent.id, user: {}, transcript: [] });
}
