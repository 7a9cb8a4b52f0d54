import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, readJson, succeed } from './bare-http.js';

const require = createRequire(import.meta.url);

/** Loads the SQLite driver that handoff-kit uses on this version of Node. */
export function loadSqlite() {
  for (const name of ['node:sqlite', '@photostructure/sqlite']) {
    try {
      const { DatabaseSync } = require(name);
      if (DatabaseSync) return DatabaseSync;
    } catch {
      // Node 20 has no node:sqlite.
    }
  }
  throw new Error('no SQLite: npm ci in the project root installs @photostructure/sqlite');
}

/**
 * The least that a durable receiver does: insert and commit before the answer, run the handler, then update and
 * commit again. No queue, no retries.
 *
 * @type {import('./contenders.js').CreateListener}
 */
export async function create({ onHandlerStart, folder }) {
  const DatabaseSync = loadSqlite();
  const database = new DatabaseSync(join(folder, 'bare.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE event (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, conversation TEXT, content TEXT, done INTEGER)',
  );
  const insert = database.prepare('INSERT INTO event (key, conversation, content) VALUES (?, ?, ?)');
  const finish = database.prepare('UPDATE event SET done = 1, content = NULL WHERE seq = ?');
  // Keeps the database from being garbage-collected: the driver's statements hold no reference to it.
  process.once('exit', () => database.close());
  const accept = async (
    /** @type {import('node:http').IncomingMessage} */ request,
    /** @type {import('node:http').ServerResponse} */ response,
  ) => {
    const receivedAt = Date.now();
    try {
      const body = await readJson(request);
      const { lastInsertRowid } = insert.run(body.message_id, body.conversation_id, JSON.stringify(body));
      succeed(response);
      setImmediate(() => {
        onHandlerStart(receivedAt);
        finish.run(lastInsertRowid);
      });
    } catch (error) {
      fail(response, error);
    }
  };
  return (request, response) => void accept(request, response);
}
