import { z } from 'zod';
import { ServiceFailure, SimulatorError } from './error.js';
import { readSettings } from './read-settings.js';
import { FAILURE_CODES } from './specification.js';

/** The message webhook of an agent: the platform posts the agent's answers to it. */
export interface MessageWebhook {
  /** The complete URL. */
  url: string;
  /** Sent as `Bearer <username>`; together with a `secret` as HTTP Basic. */
  username?: string | undefined;
  /** If set, `username:secret` is sent as HTTP Basic. */
  secret?: string | undefined;
  /** Whether human replies are delivered here too, as on the platform. Default: true. */
  humanResponses?: boolean | undefined;
}

/** A human-service component in webhook mode: the platform posts handoff events to it. */
export interface HumanServiceWebhook {
  /** Reported by the webhook check. */
  componentId: string;
  /** Reported by the webhook check. Default: the id. */
  componentName?: string | undefined;
  /** The base URL of `/conversation/establish`, `/chat` and `/conversation/close`. */
  url: string;
  /** Known deployments send no credentials here. Set them for a receiver that requires some. */
  username?: string | undefined;
  /** See {@link MessageWebhook.secret}. */
  secret?: string | undefined;
  /** Extra headers of every request to this component. */
  headers?: Record<string, string> | undefined;
}

/** Settings of one agent of the simulated platform. */
export interface SimulatedAgent {
  /** Sent to receivers as `bot_id`. */
  id: string;
  /** The API key of the developer's calls. It identifies the agent. */
  apiKey: string;
  /** Shown on the page. Default: the id. */
  name?: string | undefined;
  /** The message webhook, if the agent has one. */
  message?: MessageWebhook | undefined;
  /** The human-service components of the agent. */
  humanServices?: HumanServiceWebhook[] | undefined;
  /** Calls with the key of a deleted agent are answered with code 40378. */
  deleted?: boolean | undefined;
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });
const text = z.string().min(1);
const needsUsername = (webhook: { username?: string | undefined; secret?: string | undefined }) =>
  webhook.secret === undefined || webhook.username !== undefined;
const NEEDS_USERNAME = { path: ['username'], error: 'a secret is sent together with a username: set both' };

const messageWebhook = z
  .strictObject({
    url: httpUrl,
    username: text.optional(),
    secret: text.optional(),
    humanResponses: z.boolean().default(true),
  })
  .refine(needsUsername, NEEDS_USERNAME);

const humanService = z
  .strictObject({
    componentId: text,
    componentName: text.optional(),
    url: httpUrl,
    username: text.optional(),
    secret: text.optional(),
    headers: z.record(text, z.string()).default({}),
  })
  .refine(needsUsername, NEEDS_USERNAME)
  .transform((service) => ({ ...service, componentName: service.componentName ?? service.componentId }));

const agentSchema = z
  .strictObject({
    id: text,
    apiKey: text,
    name: text.optional(),
    message: messageWebhook.optional(),
    humanServices: z.array(humanService).default([]),
    deleted: z.boolean().default(false),
  })
  .transform((agent) => ({ ...agent, name: agent.name ?? agent.id }));

/** {@link SimulatedAgent} with its defaults filled in. */
export type ResolvedAgent = z.output<typeof agentSchema>;
/** {@link HumanServiceWebhook} with its defaults filled in. */
export type ResolvedHumanService = ResolvedAgent['humanServices'][number];

/** The agents of the simulated platform. They can change while it runs. */
export interface SimulatedAgents {
  /**
   * Adds an agent.
   *
   * @example simulator.agents.add({ id: 'agent-2', apiKey: 'key-2' })
   */
  add: (agent: SimulatedAgent) => ResolvedAgent;
  /**
   * Replaces the given fields of an agent.
   *
   * @example simulator.agents.update('agent-1', { message: { url: 'http://127.0.0.1:3000/webhook' } })
   */
  update: (
    id: string,
    changes: { [Field in keyof SimulatedAgent]?: SimulatedAgent[Field] | undefined },
  ) => ResolvedAgent;
  /** Deletes an agent. Calls with its key are answered with code 40378 from then on. */
  delete: (id: string) => ResolvedAgent;
  /** All agents, including deleted ones, in the order of their creation. */
  list: () => readonly ResolvedAgent[];
  /** The agent with this id; without an id, the first agent that is not deleted. Throws if there is none. */
  get: (id?: string) => ResolvedAgent;
}

/** Creates the registry of agents. */
export function createAgents(initial: readonly SimulatedAgent[]): SimulatedAgents {
  const agents = new Map<string, ResolvedAgent>();

  const put = (candidate: unknown): ResolvedAgent => {
    const agent = readSettings('INVALID_AGENT', agentSchema, candidate);
    const sameKey = [...agents.values()].find(({ id, apiKey }) => apiKey === agent.apiKey && id !== agent.id);
    if (sameKey)
      throw new SimulatorError('INVALID_AGENT', `apiKey: agent ${sameKey.id} has it already; use another`);
    agents.set(agent.id, agent);
    return agent;
  };

  const get = (id?: string): ResolvedAgent => {
    const agent = id === undefined ? [...agents.values()].find(({ deleted }) => !deleted) : agents.get(id);
    if (agent) return agent;
    const advice = agents.size > 0 ? `known: ${[...agents.keys()].join(', ')}` : 'add one with agents.add()';
    throw new SimulatorError('UNKNOWN_AGENT', `there is no ${id ? `agent ${id}` : 'agent'}; ${advice}`);
  };

  const add = (agent: SimulatedAgent): ResolvedAgent => {
    if (agents.has(agent.id))
      throw new SimulatorError(
        'INVALID_AGENT',
        `id: agent ${agent.id} exists; change it with agents.update()`,
      );
    return put(agent);
  };

  for (const agent of initial) add(agent);
  return {
    add,
    get,
    update: (id, changes) => put({ ...get(id), ...changes, id }),
    delete: (id) => put({ ...get(id), deleted: true }),
    list: () => [...agents.values()],
  };
}

/** The human-service component with this id; without an id, the first of the agent. */
export function findHumanService(agent: ResolvedAgent, componentId?: string): ResolvedHumanService {
  const component = agent.humanServices.find(
    (each) => (componentId ?? each.componentId) === each.componentId,
  );
  if (component) return component;
  throw new SimulatorError(
    'UNKNOWN_COMPONENT',
    `agent ${agent.id} has no human-service component${componentId ? ` ${componentId}` : ''}; add one to its humanServices`,
  );
}

/** The agent that the API key of a request belongs to. Throws the platform's refusal if there is none. */
export function authenticate(agents: SimulatedAgents, authorization: string | undefined): ResolvedAgent {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const agent = agents.list().find(({ apiKey }) => apiKey === key);
  if (!agent) throw new ServiceFailure(FAILURE_CODES.authenticationFailed, 'Developer authentication failed');
  if (agent.deleted) throw new ServiceFailure(FAILURE_CODES.agentDeleted, 'Agent deleted');
  return agent;
}
