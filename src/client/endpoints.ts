import { HEALTH_TIMEOUT_MS, SERVICE_PATHS } from '../protocol/index.js';

/** An endpoint the service hosts, by its name in this package. */
export type ServiceEndpoint = keyof typeof SERVICE_PATHS;

/** How one endpoint is called. */
export interface EndpointRules {
  readonly name: ServiceEndpoint;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Whether doing it twice is the same as doing it once. If not, a call of unknown outcome is never repeated. */
  readonly repeatable: boolean;
  /** How long one attempt may take when nobody says otherwise. */
  readonly timeoutMs: number;
}

/** Above the ten seconds Node gives a connection, so that an address nobody answers is seen as unreachable. */
const TALK_TIMEOUT_MS = 15_000;

/** These make the service do work of its own before it answers: read files, or probe every webhook. */
const WORK_TIMEOUT_MS = 30_000;

const rules = (
  name: ServiceEndpoint,
  method: EndpointRules['method'],
  repeatable: boolean,
  timeoutMs: number,
): EndpointRules => ({ name, method, path: SERVICE_PATHS[name], repeatable, timeoutMs });

/** The endpoints and their rules. A second reply is read twice by the user; a second add makes a second document. */
export const ENDPOINTS: Readonly<Record<ServiceEndpoint, EndpointRules>> = {
  reply: rules('reply', 'POST', false, TALK_TIMEOUT_MS),
  close: rules('close', 'POST', true, TALK_TIMEOUT_MS),
  addQa: rules('addQa', 'POST', false, WORK_TIMEOUT_MS),
  updateQa: rules('updateQa', 'PUT', true, WORK_TIMEOUT_MS),
  checkWebhooks: rules('checkWebhooks', 'POST', true, WORK_TIMEOUT_MS),
  health: rules('health', 'GET', true, HEALTH_TIMEOUT_MS),
};
