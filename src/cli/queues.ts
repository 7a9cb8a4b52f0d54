import type { Command } from 'commander';
import type { QueueAdmin, QueueKind, StoredJob, StoredJobDetails } from '../delivery/index.js';
import { HandoffKitError } from '../internal/index.js';
import { printable } from '../internal/readable-log.js';
import { addDatabaseFlags, DATABASE_HELP, type DatabaseFlags, runWithDatabase } from './database-flags.js';
import { parseCount } from './flags.js';
import { confirm } from './input.js';
import { EXIT, type Output, print, table, UsageError } from './output.js';

/** The texts of a queue's command. */
export interface QueueTexts {
  readonly queue: QueueKind;
  /** The purpose of the queue, and how a job becomes a dead letter. */
  readonly description: string;
  /** The effect of `retry` on a job. */
  readonly retryEffect: string;
}

type ListFlags = DatabaseFlags & {
  readonly dead?: boolean;
  readonly conversation?: string;
  readonly limit: number;
};
type ShowFlags = DatabaseFlags & { readonly showText?: boolean };
type DeadLetterFlags = DatabaseFlags & {
  readonly allDead?: boolean;
  readonly conversation?: string;
  readonly yes?: boolean;
};
type DeadLetterAction = 'retry' | 'discard';

const MAX_LIMIT = 10_000;
/** The most dead letters that one run of --all-dead takes. */
const MAX_DEAD_LETTERS = 100_000;

/** Defines the command of a queue, `inbox` or `outbox`, with `list`, `show`, `retry` and `discard`. */
export function defineQueue(parent: Command, texts: QueueTexts): void {
  const { queue, description } = texts;
  parent.description(description).addHelpText('after', queueHelp(queue));
  defineList(parent, queue);
  defineShow(parent, queue);
  defineDeadLetterAction(parent, texts, 'retry');
  defineDeadLetterAction(parent, texts, 'discard');
}

const queueHelp = (queue: QueueKind): string => `
Examples:
  $ handoff-kit ${queue} list --dead
  $ handoff-kit ${queue} show 42
  $ handoff-kit ${queue} retry 42
  $ handoff-kit ${queue} discard --all-dead

Each command has its own help: handoff-kit ${queue} list --help`;

function defineList(parent: Command, queue: QueueKind): void {
  const command = parent
    .command('list')
    .summary('list waiting jobs and dead letters')
    .description(`Lists the waiting jobs and the dead letters of the ${queue}, the oldest first.`)
    .option('--dead', 'only dead letters')
    .option('--conversation <id>', 'only one conversation')
    .option('--limit <number>', `the most jobs to list, up to ${MAX_LIMIT}`, parseCount(MAX_LIMIT), 50);
  addDatabaseFlags(command)
    .addHelpText('after', listHelp(queue))
    .action((flags: ListFlags) =>
      runWithDatabase(flags, ({ queues }, output) => listJobs(queue, flags, queues, output)),
    );
}

const listHelp = (queue: QueueKind): string => `${DATABASE_HELP}

States:
  waiting  for earlier jobs of its conversation or for its next attempt, or running
  dead     a dead letter: it failed too often, until it is retried or discarded

Examples:
  $ handoff-kit ${queue} list --dead
  $ handoff-kit ${queue} list --conversation 65d4… --json

Exit codes: 0 listed, also when there is nothing, 1 the database cannot be used, 2 wrong use`;

async function listJobs(
  queue: QueueKind,
  { dead = false, conversation, limit }: ListFlags,
  queues: QueueAdmin,
  output: Output,
): Promise<number> {
  const filter = conversation === undefined ? {} : { conversationId: conversation };
  const states = dead ? (['dead'] as const) : (['waiting', 'dead'] as const);
  // One job more than the limit shows whether there are more.
  const lists = await Promise.all(
    states.map((state) => queues.list(queue, { ...filter, state, limit: limit + 1 })),
  );
  const found = lists.flat().sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  const jobs = found.slice(0, limit);
  const more = found.length > jobs.length;
  print(output, { queue, jobs, more }, listText(queue, jobs, more));
  return EXIT.ok;
}

const COLUMNS = ['id', 'state', 'since', 'conversation', 'what', 'attempts', 'last error'];

/** The receiver and the bot of a job, where it has others than the default ones. */
const ownerOf = ({ receiver, bot }: StoredJob): string =>
  [receiver, bot].filter((name) => name !== 'default').join(' ');
/** Longer cells of the list are cut; `show` has the whole text. */
const MAX_CELL_LENGTH = 60;

function listText(queue: QueueKind, jobs: readonly StoredJob[], more: boolean): string {
  if (jobs.length === 0) return `The ${queue} has no such jobs.`;
  const hasOwners = jobs.some((job) => ownerOf(job) !== '');
  const rows = jobs.map((job) => [
    job.id,
    job.state,
    job.createdAt.toISOString(),
    ...(hasOwners ? [ownerOf(job)] : []),
    shortCell(job.conversationId),
    job.what,
    String(job.attempts),
    shortCell(job.error ?? ''),
  ]);
  const columns = hasOwners ? COLUMNS.toSpliced(3, 0, 'bot') : COLUMNS;
  return `${table([columns, ...rows])}${more ? '\nThere are more: --limit shows them.' : ''}`;
}

function shortCell(text: string): string {
  return printable(text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH)}…` : text);
}

function defineShow(parent: Command, queue: QueueKind): void {
  const command = parent
    .command('show')
    .summary('show one job with its content')
    .description('Shows one job with its content. The text of messages is hidden unless you ask for it.')
    .argument('<id>', 'the id in the list')
    .option('--show-text', 'also show the text of messages, e-mail addresses and phone numbers');
  addDatabaseFlags(command)
    .addHelpText('after', `${DATABASE_HELP}\n\nExit codes: 0 shown, 1 there is no such job, 2 wrong use`)
    .action((id: string, flags: ShowFlags) =>
      runWithDatabase(flags, ({ queues }, output) => showJob(queue, id, flags, queues, output)),
    );
}

async function showJob(
  queue: QueueKind,
  id: string,
  { showText = false }: ShowFlags,
  queues: QueueAdmin,
  output: Output,
): Promise<number> {
  const found = await queues.show(queue, id);
  if (!found) {
    throw new HandoffKitError(
      'NO_SUCH_JOB',
      `the ${queue} has no job ${printable(id)}. See: handoff-kit ${queue} list`,
    );
  }
  const job = showText ? found : { ...found, content: hideText(found.content) };
  print(output, job, jobText(job, showText));
  return EXIT.ok;
}

function jobText(job: StoredJobDetails, showText: boolean): string {
  const facts = table([
    ['id', job.id],
    ['state', job.state],
    ['since', job.createdAt.toISOString()],
    ...(job.receiver === 'default' ? [] : [['receiver', job.receiver]]),
    ...(job.bot === 'default' ? [] : [['bot', job.bot]]),
    ['conversation', printable(job.conversationId)],
    ['what', job.what],
    ['attempts', String(job.attempts)],
    ['last error', printable(job.error ?? 'none')],
  ]);
  return [facts, '', ...contentLines(job.content, showText)].join('\n');
}

function contentLines(content: unknown, showText: boolean): string[] {
  if (content === null) return ['It is done, and its content was deleted.'];
  const lines = JSON.stringify(content, null, 2).split('\n').map(printable);
  return showText ? lines : [...lines, '', 'The text of messages is hidden; --show-text shows it.'];
}

/** Names of fields that hold ids and kinds. All other texts may be personal. */
const SHOWN_FIELDS = /(_id|^kind|^type|^message_type|^from_component_\w+)$/;

/** Replaces every text in the content by its length, except ids and kinds. */
export function hideText(content: unknown, field = ''): unknown {
  if (typeof content === 'string')
    return SHOWN_FIELDS.test(field)
      ? content
      : `[${content.length} ${content.length === 1 ? 'character' : 'characters'}]`;
  if (Array.isArray(content)) return content.map((entry) => hideText(entry, field));
  if (typeof content !== 'object' || content === null) return content;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, hideText(value, key)]));
}

function defineDeadLetterAction(
  parent: Command,
  { queue, retryEffect }: QueueTexts,
  action: DeadLetterAction,
): void {
  const isRetry = action === 'retry';
  const command = parent
    .command(action)
    .summary(
      isRetry ? 'retry dead letters, or do not wait for the next attempt' : 'remove dead letters for good',
    )
    .description(
      isRetry
        ? `Retries dead letters, and jobs that wait for their next attempt, at once. ${retryEffect}`
        : 'Removes dead letters for good.',
    )
    .argument('[ids...]', 'the ids in the list')
    .option('--all-dead', 'all dead letters; asks first')
    .option('--conversation <id>', 'with --all-dead: only one conversation')
    .option('-y, --yes', 'do not ask');
  addDatabaseFlags(command)
    .addHelpText('after', deadLetterHelp(queue, action))
    .action((ids: readonly string[], flags: DeadLetterFlags) =>
      runWithDatabase(flags, ({ queues }, output) =>
        handleDeadLetters(action, queue, ids, flags, queues, output),
      ),
    );
}

const deadLetterHelp = (queue: QueueKind, action: DeadLetterAction): string => `${DATABASE_HELP}

Examples:
  $ handoff-kit ${queue} ${action} 42 43
  $ handoff-kit ${queue} ${action} --all-dead --conversation 65d4…
  $ handoff-kit ${queue} ${action} --all-dead --yes

Exit codes: 0 done, also when nothing was dead, 1 ${action === 'retry' ? 'a job does not wait' : 'a job is not dead'}, or you said no, 2 wrong use`;

const ACTION_TEXTS = {
  retry: { question: 'Try again', done: 'to be tried again', skipped: 'There is nothing to retry of' },
  discard: { question: 'Remove for good', done: 'removed', skipped: 'Not dead, and left as they are' },
} as const;

async function handleDeadLetters(
  action: DeadLetterAction,
  queue: QueueKind,
  ids: readonly string[],
  flags: DeadLetterFlags,
  queues: QueueAdmin,
  output: Output,
): Promise<number> {
  const chosen = await chooseDeadLetters(action, queue, ids, flags, queues);
  if (chosen === null) {
    process.stderr.write('Nothing was done.\n');
    return EXIT.no;
  }
  const done: string[] = [];
  const notDead: string[] = [];
  for (const id of chosen) ((await queues[action](queue, id)) ? done : notDead).push(id);
  const texts = ACTION_TEXTS[action];
  const skipped = notDead.length > 0 ? ` ${texts.skipped}: ${notDead.map(printable).join(', ')}.` : '';
  const count = `${done.length} ${done.length === 1 ? 'job' : 'jobs'}`;
  print(output, { queue, done, notDead }, `${count} ${texts.done}.${skipped}`);
  return notDead.length === 0 ? EXIT.ok : EXIT.no;
}

/** The ids to work on; `null` when the answer to the question was no. */
async function chooseDeadLetters(
  action: DeadLetterAction,
  queue: QueueKind,
  ids: readonly string[],
  { allDead = false, conversation, yes = false }: DeadLetterFlags,
  queues: QueueAdmin,
): Promise<readonly string[] | null> {
  if (allDead === ids.length > 0) throw new UsageError('name jobs by their ids, or give --all-dead.');
  if (!allDead && conversation !== undefined) {
    throw new UsageError('--conversation goes together with --all-dead. An id is enough by itself.');
  }
  if (!allDead) return ids;
  const filter = conversation === undefined ? {} : { conversationId: conversation };
  const dead = await queues.list(queue, { ...filter, state: 'dead', limit: MAX_DEAD_LETTERS });
  const question = `${ACTION_TEXTS[action].question}: ${countText(dead.length)} of the ${queue}?`;
  return dead.length === 0 || (await confirm(question, yes)) ? dead.map(({ id }) => id) : null;
}

const countText = (count: number): string => `${count} dead ${count === 1 ? 'letter' : 'letters'}`;
