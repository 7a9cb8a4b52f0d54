import { z } from 'zod';
import { SERVICE_CODES, ValidationError, validate } from '../protocol/index.js';
import { ServiceFailure, SimulatorError } from './error.js';

/** Where an agent's answers go (4.5), with the credentials of 5.3. */
export interface MessageWebhook {
  /** The whole URL. */
  url: string;
  /** Sent as `Bearer <username>`, or with a secret as Basic. */
  username?: string | undefined;
  /** With a secret, `username:secret` is sent as Basic. */
  secret?: string | undefined;
  /** Whether what humans reply is delivered here too, as the contract says. Default: true. */
  humanResponses?: boolean | undefined;
}

/** A human-service component in webhook mode. */
export interface HumanServiceWebhook {
  /** Its id, as a webhook check reports it. */
  componentId: string;
  /** Its name, as a webhook check reports it. Default: the id. */
  componentName?: string | undefined;
  /** The URL below which `/conversation/establish`, `/chat` and `/conversation/close` live. */
  url: string;
  /** Deployments send no credentials here; set them for a receiver that asks for some. */
  username?: string | undefined;
  /** See {@link MessageWebhook.secret}. */
  secret?: string | undefined;
  /** Headers sent with every request to this component. */
  headers?: Record<string, string> | undefined;
}

/** An agent of the simulated platform. */
export interface SimulatedAgent {
  /** Its id, sent as `bot_id`. */
  id: string;
  /** The key that its developer sends; it identifies the agent. */
  apiKey: string;
  /** What the page calls it. Default: the id. */
  name?: string | undefined;
  /** Its message webhook, if it has one. */
  message?: MessageWebhook | undefined;
  /** Its human-service components. */
  humanServices?: HumanServiceWebhook[] | undefined;
  /** A deleted agent's key is answered with code 40378. */
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

/** An agent with its defaults filled in. */
export type ResolvedAgent = z.output<typeof agentSchema>;
/** A human-service component with its defaults filled in. */
export type ResolvedHumanService = ResolvedAgent['humanServices'][number];

/** The agents of the platform. They can change while the simulator runs. */
export interface SimulatedAgents {
  /** Adds an agent. */
  add: (agent: SimulatedAgent) => ResolvedAgent;
  /** Changes an agent: what is named replaces what was. */
  update: (
    id: string,
    changes: { [Field in keyof SimulatedAgent]?: SimulatedAgent[Field] | undefined },
  ) => ResolvedAgent;
  /** Deletes an agent: its key is answered with 40378 from now on. */
  delete: (id: string) => ResolvedAgent;
  /** All agents, deleted ones too, in the order they were added. */
  list: () => readonly ResolvedAgent[];
  /** The agent of an id, or without one the first that is not deleted. Throws when there is none. */
  get: (id?: string) => ResolvedAgent;
}

/** Makes the register of agents. */
export function createAgents(initial: readonly SimulatedAgent[]): SimulatedAgents {
  const agents = new Map<string, ResolvedAgent>();

  const put = (candidate: unknown): ResolvedAgent => {
    const agent = readAgent(candidate);
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

/** The component of an id, or without one the agent's first. */
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

/** The agent whose key a request carries (5.1), or the service's refusal. */
export function authenticate(agents: SimulatedAgents, authorization: string | undefined): ResolvedAgent {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const agent = agents.list().find(({ apiKey }) => apiKey === key);
  if (!agent)
    throw new ServiceFailure(SERVICE_CODES.AUTHENTICATION_FAILED, 'Developer authentication failed');
  if (agent.deleted) throw new ServiceFailure(SERVICE_CODES.AGENT_DELETED, 'Agent deleted');
  return agent;
}

function readAgent(candidate: unknown): ResolvedAgent {
  try {
    return validate(agentSchema, candidate);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new SimulatorError('INVALID_AGENT', error.message, { cause: error });
  }
}
