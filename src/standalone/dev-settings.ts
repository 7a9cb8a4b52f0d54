import { randomBytes } from 'node:crypto';
import type { SettingKey } from './settings-schema.js';

/** What is made up for trying the receiver out. */
export interface DevSettings {
  readonly values: Readonly<Partial<Record<SettingKey, string>>>;
  /** The credentials among them. */
  readonly generated: readonly SettingKey[];
}

const CREDENTIALS = [
  'webhookUsername',
  'webhookSecret',
  'handoffAuth',
] as const satisfies readonly SettingKey[];

const random = (bytes: number): string => randomBytes(bytes).toString('hex');

/**
 * Makes up what is not set: credentials, an address that only this machine can reach, a quiet log. A username
 * without a secret is a complete choice (Bearer), so a secret is made up only together with the username.
 */
export function devSettings(isSet: (key: SettingKey) => boolean): DevSettings {
  const credentials: Partial<Record<SettingKey, string>> = {
    ...(!isSet('webhookUsername') && { webhookUsername: `dev-${random(3)}` }),
    ...(!isSet('webhookUsername') && !isSet('webhookSecret') && { webhookSecret: random(16) }),
    ...(!isSet('handoffAuth') && { handoffAuth: `path:${random(16)}` }),
  };
  return {
    values: { host: '127.0.0.1', logLevel: 'warn', ...credentials },
    generated: CREDENTIALS.filter((key) => key in credentials),
  };
}
