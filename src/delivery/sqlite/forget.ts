import type { QueueName } from '../stored-queues.js';
import type { Database } from './database.js';
import { createPeople } from './people.js';
import type { Writer } from './writer.js';

/** Looked through in one go; more would hold up those who write. */
const AT_ONCE = 20_000;

/**
 * Removes everything of a person's conversations; tells how many items and conversations that were. Nothing leads from
 * a conversation to all that is known of it, so that every event costs less; hence all items are looked through, some at a
 * time, and what has come meanwhile in one go with the person.
 */
export async function forgetPerson(database: Database, writer: Writer, personId: string): Promise<number> {
  const lanes = createPeople(database).lanesOf(personId);
  const last = (queue: QueueName): number =>
    Number(database.prepare(`SELECT max(seq) AS last FROM ${queue}_known`).get()?.last ?? 0);

  const from = { inbox: 0, outbox: 0 };
  let removed = 0;
  for (const queue of ['inbox', 'outbox'] as const) {
    for (const end = last(queue); lanes.length > 0 && end - from[queue] > AT_ONCE; from[queue] += AT_ONCE) {
      removed += await writer.write('forgetItems', queue, lanes, from[queue], from[queue] + AT_ONCE);
    }
  }
  return removed + (await writer.write('forgetPerson', personId, from));
}
