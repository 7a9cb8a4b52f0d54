/**
 * The receiver as a program: settings, logs, health, shutdown.
 *
 * @module
 */
export {
  ADAPTER_CATALOG,
  ADAPTER_NAMES,
  adapterPath,
  listOf,
  readAdapter,
  settingsOf,
} from './adapters/index.js';
export { chooseDatabase } from './choose-database.js';
export { createStandalone } from './create-standalone.js';
export { DEFAULT_DATABASE_URL, databaseText, readDatabaseUrl } from './database-url.js';
export type { SettingSources } from './gather-settings.js';
export { listen } from './listen.js';
export { openDelivery, openQueues, openShelf } from './open-database.js';
export { printable } from './printable.js';
export { readSettings } from './read-settings.js';
export { createReadableLog } from './readable-log.js';
export { createReporter } from './reporter.js';
export { serve } from './serve.js';
export { SettingsError } from './settings-error.js';
export { SETTING_GROUPS } from './settings-groups.js';
export type { SettingKey } from './settings-schema.js';
export { SETTING_KEYS, SETTINGS } from './settings-table.js';
export { onStopSignal } from './signals.js';
