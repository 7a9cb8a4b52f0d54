import type { ServiceClient } from '../client/index.js';
import { configError, HandoffKitError } from '../internal/index.js';

/** The agent of a receiver with one agent. Its conversations keep the platform's ids. */
export const DEFAULT_AGENT = 'default';

/** The field of log lines that names an agent. The agent `default`, which most receivers have alone, needs none. */
export const agentField = (agent: string): { readonly agent?: string } =>
  agent === DEFAULT_AGENT ? {} : { agent };

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/i;

/** Throws unless a text can name a receiver or an agent: names are parts of paths, ids and stored keys. */
export function checkName(what: string, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw configError(
    `${what} must be letters, digits, "-" and "_", beginning with a letter or digit, at most 32; got ${JSON.stringify(name)}.`,
  );
}

/** A conversation as its platform knows it. */
export interface PlatformConversation {
  /** The agent whose conversation it is. */
  readonly agent: string;
  /** The id that the platform has given it. */
  readonly platformId: string;
}

/**
 * The agents of a receiver. Two agents may have conversations with the same id, so the ids that handlers, stores and
 * adapters see begin with the agent's name: `sales/65d4…`. They are composed where an event is made from a request, and
 * taken apart where the platform is called.
 */
export interface AgentDirectory {
  readonly names: readonly string[];
  /** The client of an agent's platform; `null` if the agent has none, or is not configured. */
  serviceOf(agent: string): ServiceClient | null;
  /** The id of a conversation, unique among all agents. */
  conversationIdOf(conversation: PlatformConversation): string;
  /** The inverse. Throws for a conversation of an agent that is not configured. */
  locate(conversationId: string): PlatformConversation;
}

/** The directory of a receiver with one agent, whose ids are the platform's. */
export const singleAgent = (service: ServiceClient | null): AgentDirectory => ({
  names: [DEFAULT_AGENT],
  serviceOf: (agent) => (agent === DEFAULT_AGENT ? service : null),
  conversationIdOf: ({ platformId }) => platformId,
  locate: (conversationId) => ({ agent: DEFAULT_AGENT, platformId: conversationId }),
});

/** Whether an id begins with the name of an agent. */
const HAS_AGENT = /^([a-z0-9][a-z0-9_-]{0,31})\//i;

/** The agent of a conversation in a receiver with several, by its id. */
export const agentOfId = (conversationId: string): string =>
  HAS_AGENT.exec(conversationId)?.[1] ?? DEFAULT_AGENT;

/**
 * The directory of several agents. The agent named `default` keeps the platform's ids, so that an application with one
 * agent can add others; an id of its platform that looks like another agent's is written `default/…`.
 */
export function severalAgents(services: ReadonlyMap<string, ServiceClient | null>): AgentDirectory {
  return {
    names: [...services.keys()],
    serviceOf: (agent) => services.get(agent) ?? null,
    conversationIdOf: ({ agent, platformId }) =>
      agent === DEFAULT_AGENT && !HAS_AGENT.test(platformId) ? platformId : `${agent}/${platformId}`,
    locate(conversationId) {
      const agent = agentOfId(conversationId);
      const platformId = HAS_AGENT.test(conversationId)
        ? conversationId.slice(agent.length + 1)
        : conversationId;
      if (services.has(agent)) return { agent, platformId };
      throw new HandoffKitError(
        'AGENT_NOT_CONFIGURED',
        `this receiver has no agent ${JSON.stringify(agent)}, to which the conversation belongs. Its agents are ${[...services.keys()].join(', ')}. Ids of conversations are written <agent>/<id of the platform>.`,
      );
    },
  };
}
