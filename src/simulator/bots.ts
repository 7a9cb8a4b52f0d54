import { z } from 'zod';
import { PlatformFailure, readSettings, SimulatorError } from './error.js';
import { FAILURE_CODES } from './specification.js';

/** A bot's message webhook, to which the platform posts the bot's answers. */
export interface MessageWebhook {
  /** The complete URL. */
  url: string;
  /** Sent as `Bearer <username>`; together with a `secret` as HTTP Basic. */
  username?: string | undefined;
  /** If set, `username:secret` is sent as HTTP Basic. */
  secret?: string | undefined;
  /** Whether agents' replies are delivered here too, as on the platform. Default: true. */
  agentReplies?: boolean | undefined;
}

/** A human-service component in webhook mode: the platform posts handoff events to it. */
export interface HumanServiceWebhook {
  /** Reported by the webhook check. */
  componentId: string;
  /** Reported by the webhook check. Default: the id. */
  componentName?: string | undefined;
  /** The base URL of `/conversation/establish`, `/chat` and `/conversation/close`. */
  url: string;
  /** Known deployments send no credentials here. Set them if the receiver requires them. */
  username?: string | undefined;
  /** See {@link MessageWebhook.secret}. */
  secret?: string | undefined;
  /** Additional headers for every request to this component. */
  headers?: Record<string, string> | undefined;
}

export interface SimulatedBot {
  /** Sent to receivers as `bot_id`. */
  id: string;
  /** Authenticates the developer's calls and identifies the bot. */
  apiKey: string;
  /** Shown on the page. Default: the id. */
  name?: string | undefined;
  message?: MessageWebhook | undefined;
  humanServices?: HumanServiceWebhook[] | undefined;
  /** Calls with a deleted bot's key are answered with code 40378. */
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
    agentReplies: z.boolean().default(true),
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
  .transform((platform) => ({ ...platform, componentName: platform.componentName ?? platform.componentId }));

const botSchema = z
  .strictObject({
    id: text,
    apiKey: text,
    name: text.optional(),
    message: messageWebhook.optional(),
    humanServices: z.array(humanService).default([]),
    deleted: z.boolean().default(false),
  })
  .transform((bot) => ({ ...bot, name: bot.name ?? bot.id }));

/** {@link SimulatedBot} with its defaults filled in. */
export type ResolvedBot = z.output<typeof botSchema>;
/** {@link HumanServiceWebhook} with its defaults filled in. */
export type ResolvedHumanService = ResolvedBot['humanServices'][number];

/** The bots of the simulated platform. They can change while it runs. */
export interface SimulatedBots {
  /**
   * Adds a bot.
   *
   * @example simulator.bots.add({ id: 'bot-2', apiKey: 'key-2' })
   */
  add: (bot: SimulatedBot) => ResolvedBot;
  /**
   * Replaces the given fields of a bot.
   *
   * @example simulator.bots.update('bot-1', { message: { url: 'http://127.0.0.1:3000/webhook' } })
   */
  update: (
    id: string,
    changes: { [Field in keyof SimulatedBot]?: SimulatedBot[Field] | undefined },
  ) => ResolvedBot;
  /** Deletes a bot. Calls with its key are answered with code 40378 from then on. */
  delete: (id: string) => ResolvedBot;
  /** All bots, including deleted ones, in the order of their creation. */
  list: () => readonly ResolvedBot[];
  /** The bot with this id; without an id, the first bot that is not deleted. Throws if there is none. */
  get: (id?: string) => ResolvedBot;
}

export function createBots(initial: readonly SimulatedBot[]): SimulatedBots {
  const bots = new Map<string, ResolvedBot>();

  const put = (candidate: unknown): ResolvedBot => {
    const bot = readSettings('INVALID_BOT', botSchema, candidate);
    const sameKey = [...bots.values()].find(({ id, apiKey }) => apiKey === bot.apiKey && id !== bot.id);
    if (sameKey)
      throw new SimulatorError('INVALID_BOT', `apiKey: bot ${sameKey.id} already has it; use another`);
    bots.set(bot.id, bot);
    return bot;
  };

  const get = (id?: string): ResolvedBot => {
    const bot = id === undefined ? [...bots.values()].find(({ deleted }) => !deleted) : bots.get(id);
    if (bot) return bot;
    const advice = bots.size > 0 ? `known: ${[...bots.keys()].join(', ')}` : 'add one with bots.add()';
    throw new SimulatorError('UNKNOWN_BOT', `there is no ${id ? `bot ${id}` : 'bot'}; ${advice}`);
  };

  const add = (bot: SimulatedBot): ResolvedBot => {
    if (bots.has(bot.id))
      throw new SimulatorError('INVALID_BOT', `id: bot ${bot.id} exists; change it with bots.update()`);
    return put(bot);
  };

  for (const bot of initial) add(bot);
  return {
    add,
    get,
    update: (id, changes) => put({ ...get(id), ...changes, id }),
    delete: (id) => put({ ...get(id), deleted: true }),
    list: () => [...bots.values()],
  };
}

/** The human-service component with this id; without an id, the bot's first component. */
export function findHumanService(bot: ResolvedBot, componentId?: string): ResolvedHumanService {
  const component = bot.humanServices.find((each) => (componentId ?? each.componentId) === each.componentId);
  if (component) return component;
  throw new SimulatorError(
    'UNKNOWN_COMPONENT',
    `bot ${bot.id} has no human-service component${componentId ? ` ${componentId}` : ''}; add one to its humanServices`,
  );
}

/** The bot with this API key. Throws the platform's refusal if there is none. */
export function authenticate(bots: SimulatedBots, authorization: string | undefined): ResolvedBot {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const bot = bots.list().find(({ apiKey }) => apiKey === key);
  if (!bot) throw new PlatformFailure(FAILURE_CODES.authenticationFailed, 'Developer authentication failed');
  if (bot.deleted) throw new PlatformFailure(FAILURE_CODES.botDeleted, 'Agent deleted');
  return bot;
}
