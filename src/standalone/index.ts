/**
 * The receiver as a program: settings, logs, health, metrics, shutdown. Importing this module loads no web server;
 * {@link loadProgram} does.
 *
 * @module
 */
export {
  ADAPTER_CATALOG,
  ADAPTER_NAMES,
  type AdapterEntry,
  adapterPath,
  adapterSettings,
  splitList,
} from './adapter-catalog.js';
export { createConfiguredAdapters } from './adapter-settings.js';
export {
  chooseDatabase,
  DEFAULT_DATABASE_URL,
  describeDatabase,
  openDatabase,
  openDelivery,
  requireFile,
} from './database.js';
export { COMBINED_HANDOFF_AUTH, HANDOFF_AUTH_KINDS, splitHandoffAuth } from './handoff-auth.js';
export { listen } from './listen.js';
export { printable } from './printable.js';
export { createReadableLog } from './readable-log.js';
export type { ServeHost } from './serve.js';
export { SettingsError } from './settings-error.js';
export type { SettingKey } from './settings-schema.js';
export { readConfigFile } from './settings-sources.js';
export { SETTING_GROUPS, SETTING_KEYS, SETTINGS } from './settings-table.js';
export { onStopSignal, untilStopSignal } from './signals.js';

/** Loads the program itself: the web server, the receiver, the bridge and the validation of settings. */
export const loadProgram = () => import('./program.js');
