import { HEALTH_TIMEOUT_MS, PLATFORM_PATHS } from '../protocol/index.js';

/** An endpoint of the platform's API. */
export type PlatformEndpoint = keyof typeof PLATFORM_PATHS;

/** How an endpoint is called. */
export interface EndpointRules {
  readonly name: PlatformEndpoint;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Whether the call is idempotent. If not, a call whose outcome is unknown is never repeated. */
  readonly idempotent: boolean;
  /** The default time limit of one attempt. */
  readonly timeoutMs: number;
}

/** Longer than Node's connect timeout of 10 s, so that an address without a server is reported as unreachable. */
const TALK_TIMEOUT_MS = 15_000;

/** For endpoints that read files or probe webhooks before they answer. */
const WORK_TIMEOUT_MS = 30_000;

const rules = (
  name: PlatformEndpoint,
  method: EndpointRules['method'],
  idempotent: boolean,
  timeoutMs: number,
): EndpointRules => ({ name, method, path: PLATFORM_PATHS[name], idempotent, timeoutMs });

/** A repeated `reply` reaches the user twice, and a repeated `addQa` creates a second document. */
export const ENDPOINTS: Readonly<Record<PlatformEndpoint, EndpointRules>> = {
  reply: rules('reply', 'POST', false, TALK_TIMEOUT_MS),
  close: rules('close', 'POST', true, TALK_TIMEOUT_MS),
  addQa: rules('addQa', 'POST', false, WORK_TIMEOUT_MS),
  updateQa: rules('updateQa', 'PUT', true, WORK_TIMEOUT_MS),
  checkWebhooks: rules('checkWebhooks', 'POST', true, WORK_TIMEOUT_MS),
  health: rules('health', 'GET', true, HEALTH_TIMEOUT_MS),
};
