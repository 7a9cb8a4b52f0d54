import { DEFAULT_AGENT } from '../events/index.js';
import { HandoffKitError } from '../internal/index.js';
import {
  type AgentOptions,
  type AuthScheme,
  bearer,
  createReceiver,
  noAuth,
  pathToken,
  webhookUser,
} from '../receiver/index.js';
import type { SettingProblem } from './settings-error.js';
import type { Settings } from './settings-schema.js';

/** The settings of each agent, by name: its own, and those that all share. */
export type AgentSettings = ReadonlyMap<string, Settings>;

/** The settings of a program with one agent. */
export const singleAgentSettings = (settings: Settings): AgentSettings =>
  new Map([[DEFAULT_AGENT, settings]]);

/** The credentials that an agent's requests have. */
export function authOf({
  webhookUsername: username,
  webhookSecret: secret,
  handoffAuth,
  handoffToken = '',
}: Settings): AgentOptions['auth'] {
  const message = webhookUser({ username, secret });
  const handoff: Readonly<Record<Settings['handoffAuth'], () => AuthScheme>> = {
    path: () => pathToken(handoffToken),
    bearer: () => bearer(handoffToken),
    webhook: () => message,
    none: noAuth,
  };
  return { message, handoff: handoff[handoffAuth]() };
}

/** Problems of the agents with each other: names that cannot be used, and credentials that do not tell them apart. */
export function agentsProblem(agents: AgentSettings, file: string): SettingProblem | null {
  try {
    const options = [...agents].map(([name, settings]) => [name, { auth: authOf(settings) }] as const);
    createReceiver({ agents: Object.fromEntries(options), log: false });
    return null;
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    return { setting: 'agents', from: file, message: `cannot be used: ${error.message}` };
  }
}
