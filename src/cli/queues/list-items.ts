import type { QueueName, StoredItem, StoredQueues } from '../../delivery/index.js';
import { printable } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { print } from '../run-command.js';
import { table } from '../table.js';
import type { DatabaseFlags } from './database-flags.js';

/** What the command line says of a list. */
export interface ListFlags extends DatabaseFlags {
  readonly dead?: boolean;
  readonly conversation?: string;
  readonly limit: number;
}

const HEAD = ['id', 'state', 'since', 'conversation', 'what', 'attempts', 'last error'];

/** Longer texts are cut: a table is for looking over, and `show` has the rest. */
const LONGEST = 60;

/** Shows what waits and what is dead, the oldest first. */
export async function listItems(
  queue: QueueName,
  flags: ListFlags,
  queues: StoredQueues,
  output: Output,
): Promise<number> {
  const found = await oldest(queue, flags, queues);
  const items = found.slice(0, flags.limit);
  const more = found.length > items.length;
  print(output, { queue, items, more }, textOf(queue, items, more));
  return EXIT.ok;
}

/** One more than asked for, so that one knows whether there are more. */
async function oldest(
  queue: QueueName,
  { dead = false, conversation, limit }: ListFlags,
  queues: StoredQueues,
): Promise<StoredItem[]> {
  const of = conversation === undefined ? {} : { conversationId: conversation };
  const states = dead ? (['dead'] as const) : (['waiting', 'dead'] as const);
  const lists = await Promise.all(
    states.map((state) => queues.list(queue, { ...of, state, limit: limit + 1 })),
  );
  return lists.flat().sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

function textOf(queue: QueueName, items: readonly StoredItem[], more: boolean): string {
  if (items.length === 0) return `Nothing of that kind is in the ${queue}.`;
  const rows = items.map((item) => [
    item.id,
    item.state,
    item.createdAt.toISOString(),
    short(item.conversationId),
    item.what,
    String(item.attempts),
    short(item.error ?? ''),
  ]);
  return `${table([HEAD, ...rows])}${more ? '\nThere are more: --limit shows them.' : ''}`;
}

function short(text: string): string {
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
