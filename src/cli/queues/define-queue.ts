import { type Command, InvalidArgumentError } from 'commander';
import type { QueueName } from '../../delivery/index.js';
import { addDatabaseFlags, DATABASE_HELP, runWithDatabase } from './database-flags.js';
import { type ListFlags, listItems } from './list-items.js';
import { type SettleFlags, type Settlement, settleItems } from './settle-items.js';
import { type ShowFlags, showItem } from './show-item.js';

/** How a queue is called and explained. */
export interface QueueWords {
  readonly queue: QueueName;
  /** What is in it, when something is dead, and what to do then. */
  readonly description: string;
  /** What becomes of an item that is tried again. */
  readonly again: string;
}

const LARGEST_LIMIT = 10_000;

/** Gives a queue its commands: `list`, `show`, `retry` and `discard`. */
export function defineQueue(parent: Command, words: QueueWords): void {
  const { queue, description } = words;
  parent.description(description).addHelpText('after', parentHelp(queue));
  addList(parent, queue);
  addShow(parent, queue);
  addSettle(parent, words, 'retry');
  addSettle(parent, words, 'discard');
}

function addList(parent: Command, queue: QueueName): void {
  const command = parent
    .command('list')
    .summary('show what waits and what is dead')
    .description(`Shows what waits in the ${queue} and what is dead, the oldest first.`)
    .option('--dead', 'only what is dead')
    .option('--conversation <id>', 'only of one conversation')
    .option('--limit <number>', `at most so many, up to ${LARGEST_LIMIT}`, parseLimit, 50);
  addDatabaseFlags(command)
    .addHelpText('after', listHelp(queue))
    .action((flags: ListFlags) =>
      runWithDatabase(flags, ({ queues }, output) => listItems(queue, flags, queues, output)),
    );
}

function addShow(parent: Command, queue: QueueName): void {
  const command = parent
    .command('show')
    .summary('show one item with what is in it')
    .description('Shows one item with what is in it. What people write is hidden unless it is asked for.')
    .argument('<id>', 'as the list shows it')
    .option('--show-text', 'also show what people wrote, their e-mail addresses and phone numbers');
  addDatabaseFlags(command)
    .addHelpText('after', `${DATABASE_HELP}\n\nExit codes: 0 shown, 1 there is no such item, 2 wrong use`)
    .action((id: string, flags: ShowFlags) =>
      runWithDatabase(flags, ({ queues }, output) => showItem(queue, id, flags, queues, output)),
    );
}

function addSettle(parent: Command, { queue, again }: QueueWords, how: Settlement): void {
  const retry = how === 'retry';
  const command = parent
    .command(how)
    .summary(retry ? 'let dead items be tried again' : 'remove dead items for good')
    .description(retry ? `Lets dead items be tried again. ${again}` : 'Removes dead items for good.')
    .argument('[ids...]', 'as the list shows them')
    .option('--all-dead', 'all that are dead; asks first')
    .option('--conversation <id>', 'with --all-dead: only of one conversation')
    .option('-y, --yes', 'do not ask');
  addDatabaseFlags(command)
    .addHelpText('after', settleHelp(queue, how))
    .action((ids: readonly string[], flags: SettleFlags) =>
      runWithDatabase(flags, ({ queues }, output) => settleItems(how, queue, ids, flags, queues, output)),
    );
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,5}$/.test(text) && limit >= 1 && limit <= LARGEST_LIMIT) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${LARGEST_LIMIT}.`);
}

const parentHelp = (queue: QueueName): string => `
Examples:
  $ handoff-kit ${queue} list --dead
  $ handoff-kit ${queue} show 42
  $ handoff-kit ${queue} retry 42
  $ handoff-kit ${queue} discard --all-dead

Each explains itself: handoff-kit ${queue} list --help`;

const listHelp = (queue: QueueName): string => `${DATABASE_HELP}

States:
  waiting  for its turn or for its next attempt, or at work
  dead     parked after too many failures; nothing happens to it until it is tried again or discarded

Examples:
  $ handoff-kit ${queue} list --dead
  $ handoff-kit ${queue} list --conversation 65d4… --json

Exit codes: 0 listed, also when there is nothing, 1 the database cannot be used, 2 wrong use`;

const settleHelp = (queue: QueueName, how: Settlement): string => `${DATABASE_HELP}

Examples:
  $ handoff-kit ${queue} ${how} 42 43
  $ handoff-kit ${queue} ${how} --all-dead --conversation 65d4…
  $ handoff-kit ${queue} ${how} --all-dead --yes

Exit codes: 0 done, also when nothing was dead, 1 something named was not dead, or you said no, 2 wrong use`;
