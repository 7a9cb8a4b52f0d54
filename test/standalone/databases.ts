import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { QueueKind, StoredJob } from '../../src/delivery/index.js';
import { openSqliteDatabase, sqlite } from '../../src/delivery/sqlite/index.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { DATABASES_FOLDER } from '../helpers/databases-folder.js';
import { serve } from '../helpers/serve.js';
import { post } from './program.js';
import { WAIT_OPTIONS } from './wait-options.js';

/** Creates a folder that exists until the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(DATABASES_FOLDER, 'handoff-kit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Reads the dead letters of a queue. Other processes may use the file at the same time. */
export async function deadLettersIn(file: string, queue: QueueKind): Promise<readonly StoredJob[]> {
  const { queues, close } = await openSqliteDatabase(file);
  try {
    return await queues.list(queue, { state: 'dead', limit: 100 });
  } finally {
    await close();
  }
}

/** The environment for an empty database. */
export async function emptyDatabase(): Promise<{ DATABASE_URL: string }> {
  const file = join(temporaryFolder(), 'x.db');
  await (await openSqliteDatabase(file)).close();
  return { DATABASE_URL: `sqlite:${file}` };
}

/** A user's message that becomes a dead letter. */
interface DeadMessage {
  readonly conversationId: string;
  readonly text: string;
}

/** Stores messages whose handler fails, waits until all are dead letters, and closes the file. */
export async function storeDeadLetters(file: string, messages: readonly DeadMessage[]): Promise<void> {
  const delivery = sqlite({ file, maxAttempts: 1 });
  const receiver = createReceiver({ auth: { message: false, handoff: noAuth() }, delivery, log: false });
  receiver.on('handoff.message', () => {
    throw new Error('the desk is closed');
  });
  await receiver.start();
  const { url } = await serve(receiver);
  for (const [index, { conversationId: conversation_id, text }] of messages.entries()) {
    await post(`${url}/chat`, { conversation_id, timestamp: index + 1, body: text });
  }
  await vi.waitFor(async () => {
    const { dead = 0 } = (await delivery.queues?.depth('inbox')) ?? {};
    if (dead < messages.length) throw new Error(`only ${dead} are dead`);
  }, WAIT_OPTIONS);
  await receiver.close();
}
