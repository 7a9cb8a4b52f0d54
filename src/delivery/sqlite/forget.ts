import type { Database } from './database.js';
import { createPeople } from './people.js';
import type { Writer } from './writer.js';

/** Removed in one go; more would hold up those who write. */
const AT_ONCE = 1_000;

/**
 * Removes everything of a person's conversations; tells how many items and conversations that were. Items go some at a
 * time, and what has come meanwhile goes with the person.
 */
export async function forgetPerson(database: Database, writer: Writer, personId: string): Promise<number> {
  const lanes = createPeople(database).lanesOf(personId);
  let removed = 0;
  for (const queue of ['inbox', 'outbox'] as const) {
    for (let gone = AT_ONCE; gone === AT_ONCE; removed += gone) {
      gone = await writer.write('forgetItems', queue, lanes, AT_ONCE);
    }
  }
  return removed + (await writer.write('forgetPerson', personId));
}
