import type { QueueName, StoredQueues } from '../../delivery/index.js';
import { printable } from '../../standalone/index.js';
import { confirm } from '../confirm.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { print, UsageError } from '../run-command.js';
import type { DatabaseFlags } from './database-flags.js';

/** What is done with dead items. */
export type Settlement = 'retry' | 'discard';

/** What the command line says of dead items that are to be settled. */
export interface SettleFlags extends DatabaseFlags {
  readonly allDead?: boolean;
  readonly conversation?: string;
  readonly yes?: boolean;
}

/** No more than this are settled in one run; what is left is said. */
const MOST_AT_ONCE = 100_000;

const WORDS = {
  retry: { ask: 'Try again', done: 'to be tried again' },
  discard: { ask: 'Remove for good', done: 'removed' },
} as const;

/** Lets dead items be tried again, or removes them: those that are named, or all. */
export async function settleItems(
  how: Settlement,
  queue: QueueName,
  ids: readonly string[],
  flags: SettleFlags,
  queues: StoredQueues,
  output: Output,
): Promise<number> {
  const chosen = await choose(how, queue, ids, flags, queues);
  if (chosen === null) {
    process.stderr.write('Nothing was done.\n');
    return EXIT.no;
  }
  const done: string[] = [];
  const notDead: string[] = [];
  for (const id of chosen) ((await queues[how](queue, id)) ? done : notDead).push(id);
  const missed =
    notDead.length > 0 ? ` Not dead, and left as they are: ${notDead.map(printable).join(', ')}.` : '';
  print(output, { queue, done, notDead }, `${counted(done.length)} ${WORDS[how].done}.${missed}`);
  return notDead.length === 0 ? EXIT.ok : EXIT.no;
}

/** The ids of what is to be settled; `null` where the person at the terminal said no. */
async function choose(
  how: Settlement,
  queue: QueueName,
  ids: readonly string[],
  { allDead = false, conversation, yes = false }: SettleFlags,
  queues: StoredQueues,
): Promise<readonly string[] | null> {
  if (allDead === ids.length > 0) throw new UsageError('name items by their ids, or give --all-dead.');
  if (!allDead && conversation !== undefined) {
    throw new UsageError('--conversation goes together with --all-dead. An id is enough by itself.');
  }
  if (!allDead) return ids;
  const of = conversation === undefined ? {} : { conversationId: conversation };
  const dead = await queues.list(queue, { ...of, state: 'dead', limit: MOST_AT_ONCE });
  const question = `${WORDS[how].ask}: ${counted(dead.length)} of the ${queue}?`;
  return dead.length === 0 || (await confirm(question, yes)) ? dead.map(({ id }) => id) : null;
}

const counted = (count: number): string => `${count} dead ${count === 1 ? 'item' : 'items'}`;
