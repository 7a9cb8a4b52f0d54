import { DEFAULT_BOT } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import {
  type AuthScheme,
  type BotOptions,
  bearer,
  createReceiver,
  noAuth,
  pathToken,
  webhookUser,
} from '../../receiver/index.js';
import type { Settings } from './settings-schema.js';
import type { SettingProblem } from './settings-sources.js';

/** The settings of each bot, by name: its own, and those that all share. */
export type BotSettings = ReadonlyMap<string, Settings>;

/** The settings of a program with one bot. */
export const singleBotSettings = (settings: Settings): BotSettings => new Map([[DEFAULT_BOT, settings]]);

/** The credentials that a bot's requests have. */
export function authOf({
  webhookUsername: username,
  webhookSecret: secret,
  handoffAuth,
  handoffToken = '',
}: Settings): BotOptions['auth'] {
  const message = webhookUser({ username, secret });
  const handoff: Readonly<Record<Settings['handoffAuth'], () => AuthScheme>> = {
    path: () => pathToken(handoffToken),
    bearer: () => bearer(handoffToken),
    webhook: () => message,
    none: noAuth,
  };
  return { message, handoff: handoff[handoffAuth]() };
}

/** Problems of the bots with each other: names that cannot be used, and credentials that do not tell them apart. */
export function botsProblem(bots: BotSettings, file: string): SettingProblem | null {
  try {
    const options = [...bots].map(([name, settings]) => [name, { auth: authOf(settings) }] as const);
    createReceiver({ bots: Object.fromEntries(options), log: false });
    return null;
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    return { setting: 'bots', from: file, message: `cannot be used: ${error.message}` };
  }
}
