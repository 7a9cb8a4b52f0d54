import { readConfigFile } from './config-file.js';
import { type DatabaseChoice, DEFAULT_DATABASE_URL, readDatabaseUrl } from './database-url.js';
import { SettingsError } from './settings-error.js';
import { SETTINGS } from './settings-table.js';

/** Where the name of the database may come from. */
export interface DatabaseSources {
  /** A flag, or the environment: it counts before the file. */
  readonly told?: string | undefined;
  /** The path of the server's JSON file. */
  readonly configFile?: string | undefined;
}

/**
 * Finds the database that a server with the same settings uses. Of the file, only what it says of the database
 * matters; whatever else is wrong with it is the server's to complain of.
 */
export function chooseDatabase({ told, configFile }: DatabaseSources): DatabaseChoice {
  if (told !== undefined) return readDatabaseUrl(told);
  if (configFile === undefined) return readDatabaseUrl(DEFAULT_DATABASE_URL);
  const { values, problems, readable } = readConfigFile(configFile);
  const ours = problems.filter(({ setting }) => !readable || setting === SETTINGS.databaseUrl.env);
  if (ours.length > 0) throw new SettingsError(ours);
  return readDatabaseUrl(values.databaseUrl ?? DEFAULT_DATABASE_URL);
}
