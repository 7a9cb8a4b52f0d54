import type { ProbeInput, Simulator, WebhookDelivery } from '../../simulator/index.js';

/** What an availability test of one webhook came to. */
export interface ProbeReport {
  readonly webhook: 'messages' | 'handoffs';
  readonly reachable: boolean;
  readonly status: number | null;
  readonly latencyMs: number;
  readonly error: string | null;
  /** What to do; null when all is well. */
  readonly advice: string | null;
}

/** Tests both webhooks of the simulator's agent, as the service's own check does. */
export async function probeReceiver(simulator: Simulator, componentId: string): Promise<ProbeReport[]> {
  const test = async (webhook: ProbeReport['webhook'], input: ProbeInput): Promise<ProbeReport> => {
    const delivery = await simulator.probe(input);
    const { accepted: reachable, status, latencyMs, error } = delivery;
    return {
      webhook,
      reachable,
      status,
      latencyMs,
      error,
      advice: reachable ? null : adviceOn(webhook, delivery),
    };
  };
  return Promise.all([test('messages', {}), test('handoffs', { componentId })]);
}

const CREDENTIALS = {
  messages: 'compare --username and --secret with what the receiver expects.',
  handoffs: 'the receiver wants a --token in the path, or --handoff-username and --handoff-secret.',
};

function adviceOn(webhook: ProbeReport['webhook'], { status, error }: WebhookDelivery): string {
  if (status === null) return `${error}. Start the receiver, or correct --receiver.`;
  if (status === 401 || status === 403) return `it does not let the service in: ${CREDENTIALS[webhook]}`;
  if (status === 404 && webhook === 'handoffs')
    return 'nothing is at that path: check --receiver and --token.';
  if (status === 404 || status === 405) return 'nothing takes a POST at that path: check --receiver.';
  if (status >= 300 && status < 400)
    return 'it redirects, which the service does not follow: give the final URL.';
  if (status >= 500) return "it failed: look at the receiver's own log.";
  return 'a receiver answers 200 to a body with "istest": true, and does nothing else with it.';
}
