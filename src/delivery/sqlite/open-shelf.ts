import type { OpenShelf } from '../shelf.js';
import { openDatabase } from './database.js';
import { createShelf } from './shelf.js';
import { openWriter } from './writer.js';

/** How often to look for what other processes have written. */
const POLL_MS = 500;

/** Opens the shelf of a database file by itself, also while a receiver is at work on the file. */
export function openSqliteShelf(file: string): OpenShelf {
  const database = openDatabase(file);
  const shelf = createShelf(database, openWriter(database), POLL_MS);
  return {
    shelf,
    async close() {
      shelf.stop();
      database.close();
    },
  };
}
