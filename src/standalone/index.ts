/**
 * The receiver as a program: settings, logs, health, shutdown.
 *
 * @module
 */
export { ADAPTER_CATALOG, ADAPTER_NAMES, adapterPath, settingsOf } from './adapters/catalog.js';
export { listOf } from './adapters/lists.js';
export { readAdapter } from './adapters/read-adapter.js';
export { chooseDatabase } from './choose-database.js';
export { DEFAULT_DATABASE_URL, databaseText, readDatabaseUrl } from './database-url.js';
export type { SettingSources } from './gather-settings.js';
export { listen } from './listen.js';
export { loadProgram } from './load-program.js';
export { openDelivery, openQueues, openShelf } from './open-database.js';
export { printable } from './printable.js';
export { createReadableLog } from './readable-log.js';
export { createReporter } from './reporter.js';
export { SettingsError } from './settings-error.js';
export { SETTING_GROUPS } from './settings-groups.js';
export type { SettingKey } from './settings-schema.js';
export { SETTING_KEYS, SETTINGS } from './settings-table.js';
export { onStopSignal } from './signals.js';
