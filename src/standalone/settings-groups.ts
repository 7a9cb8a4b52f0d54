import { ADAPTER_NAMES, settingsOf } from './adapters/catalog.js';
import type { SettingKey } from './settings-schema.js';

/** Settings that belong together. */
export interface SettingGroup {
  readonly title: string;
  readonly keys: readonly SettingKey[];
}

/** Every setting in one group, in the order in which they are explained. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Where it listens', keys: ['port', 'host', 'mountPath', 'trustProxy', 'bodyLimit'] },
  { title: 'Who may send', keys: ['webhookUsername', 'webhookSecret', 'handoffAuth', 'probeAuth'] },
  {
    title: 'Replies to users',
    keys: ['serviceBaseUrl', 'serviceApiKey', 'greeting', 'autoReply', 'waitTimeout'],
  },
  {
    title: 'What is kept',
    keys: ['databaseUrl', 'concurrency', 'maxAttempts', 'rememberDays', 'whenUnknown'],
  },
  {
    title: 'Where humans answer',
    keys: ['adapter', 'agentNames', 'businessHours', 'outsideHours', 'unavailable'],
  },
  ...ADAPTER_NAMES.map((name) => ({ title: `With ADAPTER=${name}`, keys: settingsOf(name) })),
  { title: 'What is shown, and the end', keys: ['showText', 'logLevel', 'shutdownTimeout'] },
];
