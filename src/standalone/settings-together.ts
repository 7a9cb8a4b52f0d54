import type { Problem } from './adapters/adapter-problems.js';
import { checkAdapterSettings } from './adapters/check-adapter-settings.js';
import type { SettingKey } from './settings-schema.js';

const BOTH = 'is missing: replies need both SERVICE_BASE_URL and SERVICE_API_KEY.';
const NO_SERVICE =
  'needs SERVICE_BASE_URL and SERVICE_API_KEY: without them nothing can be sent to users. Set them, or remove it.';

/** What settings must fulfil together, whether or not each of them is right by itself. */
export async function checkTogether(values: Partial<Record<SettingKey, string>>): Promise<Problem[]> {
  return [...checkUsername(values), ...checkService(values), ...(await checkAdapterSettings(values))];
}

function checkUsername({
  webhookUsername = '',
  webhookSecret,
}: Partial<Record<SettingKey, string>>): [SettingKey, string][] {
  if (webhookSecret !== undefined && webhookUsername.includes(':')) {
    return [['webhookUsername', 'has a colon, which cannot be sent together with a secret. Choose another.']];
  }
  if (webhookSecret === undefined && /\S\s+\S/.test(webhookUsername)) {
    return [['webhookUsername', 'has a space in it, which cannot be sent without a secret. Choose another.']];
  }
  return [];
}

function checkService({
  serviceBaseUrl,
  serviceApiKey,
  autoReply,
  greeting,
}: Partial<Record<SettingKey, string>>): [SettingKey, string][] {
  if (serviceBaseUrl !== undefined && serviceApiKey !== undefined) return [];
  if (serviceBaseUrl !== undefined) return [['serviceApiKey', BOTH]];
  if (serviceApiKey !== undefined) return [['serviceBaseUrl', BOTH]];
  const needing: [SettingKey, string | undefined][] = [
    ['autoReply', autoReply],
    ['greeting', greeting],
  ];
  return needing.filter(([, value]) => value !== undefined).map(([key]) => [key, NO_SERVICE]);
}
