import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, readJson, succeed } from './read-json.js';

const require = createRequire(import.meta.url);

/** The same driver as the kit takes. */
export function loadSqlite() {
  for (const name of ['node:sqlite', '@photostructure/sqlite']) {
    try {
      const { DatabaseSync } = require(name);
      if (DatabaseSync) return DatabaseSync;
    } catch {
      // Not in this version of Node; the package stands in for it.
    }
  }
  throw new Error('no SQLite: npm ci in the project root installs the package that stands in for it');
}

/**
 * The work itself without a queue: an insert that is on disk before the answer, the handler, and an update that
 * says so. One commit each.
 *
 * @type {import('./contenders.js').CreateListener}
 */
export async function create({ begun, folder }) {
  const DatabaseSync = loadSqlite();
  const database = new DatabaseSync(join(folder, 'bare.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS event (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, lane TEXT, content TEXT, done INTEGER)',
  );
  const insert = database.prepare('INSERT INTO event (key, lane, content) VALUES (?, ?, ?)');
  const finish = database.prepare('UPDATE event SET done = 1, content = NULL WHERE seq = ?');
  // The driver's statements do not keep their database.
  process.once('exit', () => database.close());
  const take = async (
    /** @type {import('node:http').IncomingMessage} */ request,
    /** @type {import('node:http').ServerResponse} */ response,
  ) => {
    const receivedAt = Date.now();
    try {
      const body = await readJson(request);
      const { lastInsertRowid } = insert.run(body.message_id, body.conversation_id, JSON.stringify(body));
      succeed(response);
      setImmediate(() => {
        begun(receivedAt);
        finish.run(lastInsertRowid);
      });
    } catch (error) {
      fail(response, error);
    }
  };
  return (request, response) => void take(request, response);
}
