/**
 * The receiver as a program: settings, logs, health, metrics, shutdown. Importing this module loads no web server;
 * {@link loadProgram} does.
 *
 * @module
 */
import type { Adapter } from '../bridge/index.js';
import type { SettingSources } from './settings/settings-sources.js';

export { chooseDatabase, describeDatabase, openDatabase, openDelivery, requireFile } from './database.js';
export { listen } from './listen.js';
export type { ServeProcess } from './serve.js';
export { ADAPTER_NAMES, ADAPTERS, adapterPath } from './settings/adapter-settings.js';
export { type SettingInfo, type SettingTexts, settingsOf } from './settings/setting.js';
export { DEFAULT_DATABASE_URL } from './settings/setting-forms.js';
export {
  HANDOFF_AUTH_KINDS,
  SETTING_GROUPS,
  SETTINGS,
  settingsSchema,
} from './settings/settings-schema.js';
export { readConfigFile, SettingsError } from './settings/settings-sources.js';
export { onStopSignal, untilStopSignal } from './signals.js';

/** Creates the adapters of the settings, and ignores all other settings. Rejects with a {@link SettingsError}. */
export const createConfiguredAdapters = async (sources: SettingSources): Promise<readonly Adapter[]> =>
  (await import('./settings/read-settings.js')).createConfiguredAdapters(sources);

/** Loads the program itself: the web server, the receiver, the bridge and the validation of settings. */
export const loadProgram = () => import('./serve.js');
