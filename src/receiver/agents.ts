import { createServiceClient, type ServiceClient } from '../client/index.js';
import {
  type AgentDirectory,
  checkName,
  DEFAULT_AGENT,
  severalAgents,
  singleAgent,
} from '../events/index.js';
import { configError } from '../internal/index.js';
import type { WebhookEndpoint } from '../protocol/index.js';
import {
  type Authenticate,
  checkAgentsDiffer,
  createAgentsAuthenticate,
  createAuthenticate,
  createGuard,
  type GuardedAgent,
  toldByCredentials,
} from './auth/authenticate.js';
import type { AgentOptions, ReceiverOptions, SeveralAgentsOptions } from './options.js';
import { createAgentRoutes, createRoutes, type EndpointsOf, type Route } from './routes.js';

/** The agents of a receiver: who may send, where, and to which platform replies go. */
export interface ReceiverAgents {
  readonly directory: AgentDirectory;
  /** The client of each agent's platform, by the agent's name. */
  readonly services: ReadonlyMap<string, ServiceClient | null>;
  readonly authenticate: Authenticate;
  readonly routes: (url: string) => Route | null;
  /** Whether a path segment is a token of an agent. */
  readonly knowsToken: (segment: string) => boolean;
  /** Whether any agent sends messages, or handoffs. */
  readonly hasMessages: boolean;
  readonly hasHandoffs: boolean;
}

const HANDOFF_ENDPOINTS = ['establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

/** Reads the agents of the options: those of `agents`, or one named `default` with `auth` and `service`. */
export function createAgents(options: ReceiverOptions | SeveralAgentsOptions): ReceiverAgents {
  const { basePath, paths } = options;
  const probesNeedAuth = options.probes?.auth !== 'none';
  const configured = optionsByAgent(options);
  const several = options.agents !== undefined;
  const agents = [...configured].map(([name, { auth }]): GuardedAgent => {
    const option = (group: 'message' | 'handoff') => `${several ? `agents.${name}.` : ''}auth.${group}`;
    return {
      name,
      guards: {
        message: createGuard('message', auth?.message, option('message')),
        handoff: createGuard('handoff', auth?.handoff, option('handoff')),
      },
    };
  });
  const services = new Map([...configured].map(([name, { service }]) => [name, serviceOf(service)]));
  const endpoints = endpointsOf(agents);
  const common = {
    services,
    knowsToken: endpoints.knowsToken,
    hasMessages: agents.some(({ guards }) => guards.message),
    hasHandoffs: agents.some(({ guards }) => guards.handoff),
  };

  const [only] = agents;
  if (!several && only) {
    return {
      ...common,
      directory: singleAgent(services.get(only.name) ?? null),
      authenticate: createAuthenticate(only, probesNeedAuth),
      routes: createRoutes({ ...endpoints, basePath, paths }),
    };
  }
  checkAgentsDiffer(agents);
  return {
    ...common,
    directory: severalAgents(services),
    authenticate: createAgentsAuthenticate(agents, probesNeedAuth),
    routes: createAgentRoutes({
      basePath,
      paths,
      shared: endpointsOf(agents.map(toldByCredentials)),
      agents: agents.map((agent) => ({ name: agent.name, ...endpointsOf([agent]) })),
    }),
  };
}

function optionsByAgent({
  agents,
  auth,
  service,
}: ReceiverOptions | SeveralAgentsOptions): ReadonlyMap<string, Partial<AgentOptions>> {
  // In JavaScript `auth` can be missing; its guards say what is needed then.
  if (agents === undefined)
    return new Map([[DEFAULT_AGENT, { ...(auth && { auth }), ...(service && { service }) }]]);
  if (auth !== undefined || service !== undefined) {
    throw configError(
      'give createReceiver either agents, or auth and service of one agent. With agents, each has its own: agents: { sales: { auth, service } }.',
    );
  }
  const entries = typeof agents === 'object' && agents !== null ? Object.entries(agents) : [];
  if (entries.length === 0) {
    throw configError('agents names no agent. Name at least one: agents: { sales: { auth, service } }.');
  }
  return new Map(
    entries.map(([name, agent]) => [
      checkName('the name of an agent', name),
      checkedAgent(name, (agent as AgentOptions | undefined) ?? {}),
    ]),
  );
}

/** Throws for unknown options, which are most often misspelt. */
function checkedAgent(name: string, agent: Partial<AgentOptions>): Partial<AgentOptions> {
  const unknown = Object.keys(agent).filter((option) => option !== 'auth' && option !== 'service');
  if (unknown.length === 0) return agent;
  throw configError(
    `agents.${name} has the unknown option ${unknown.join(', ')}. An agent has auth and service.`,
  );
}

/** The endpoints that any of the agents has. */
function endpointsOf(agents: readonly GuardedAgent[]): EndpointsOf {
  const guards = agents.flatMap(({ guards: { message, handoff } }) => [message, handoff]);
  return {
    mounted: [
      ...(agents.some((agent) => agent.guards.message) ? ['message' as const] : []),
      ...(agents.some((agent) => agent.guards.handoff) ? HANDOFF_ENDPOINTS : []),
    ],
    tokenInPath: guards.some((guard) => guard?.inPath),
    knowsToken: (segment) => guards.some((guard) => guard?.knowsToken(segment)),
  };
}

/** The client for replies. */
function serviceOf(service: AgentOptions['service']): ServiceClient | null {
  if (service === undefined) return null;
  return 'reply' in service ? service : createServiceClient(service);
}
