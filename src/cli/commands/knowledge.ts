import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_CHUNK_TOKEN, MAX_FILES } from '../../protocol/index.js';
import type { SyncFlags } from '../knowledge/sync.js';
import type { AddFlags, UpdateFlags } from '../knowledge/upload.js';
import { addPlatformFlags, PLATFORM_HELP, runWithPlatform } from '../platform-flags.js';

const FILES_HELP = `
  More than ${MAX_FILES} files are sent in groups of ${MAX_FILES}. A group that fails as a whole, or Ctrl-C, ends the run; it lists the
  files that were sent, those that were not, and those whose outcome is unknown. With --json, "notDone" can be the
  next --file-list.`;

const ADD_HELP = `${PLATFORM_HELP}

One document from pairs:
  $ handoff-kit knowledge add --name Shipping --pair 'How long does it take?=Two days.' --pair 'What is the price?=5 EUR'
  $ handoff-kit knowledge add --name Shipping --pairs shipping.csv      columns: question, answer
  $ handoff-kit knowledge add --name Shipping --pairs shipping.json     [{"question": "…", "answer": "…"}]

One document for each file, which the platform fetches:
  $ handoff-kit knowledge add --file-url https://my.host/prices.csv                 CSV with pairs
  $ handoff-kit knowledge add --source-url 'Manual.md=https://my.host/manual?v=2'   turned into pairs by the platform
  $ handoff-kit knowledge add --file-list files.csv     columns: file_url or source_url, and file_name
${FILES_HELP}

Exit codes: 0 everything was added, 1 something was not, 2 wrong use: nothing was sent`;

const UPDATE_HELP = `${PLATFORM_HELP}

Replace all pairs of one document:
  $ handoff-kit knowledge update --doc 65d4… --pairs shipping.csv

Replace documents by files, which the platform fetches:
  $ handoff-kit knowledge update --file-list files.csv     columns: doc_id, source_url, and file_name
${FILES_HELP}

Exit codes: 0 everything was updated, 1 something was not, 2 wrong use: nothing was sent`;

const SYNC_HELP = `${PLATFORM_HELP}

Each Markdown, CSV or JSON file below the folder is a document. In Markdown a heading of the second level is a question,
and the text below it the answer. A README.md is not sent. A file with more than 1,000 pairs becomes several documents.

  $ handoff-kit knowledge sync knowledge --dry-run     show what would be sent
  $ handoff-kit knowledge sync knowledge               send what is new or has changed

The state file keeps the ids of the documents, which the platform does not list: commit it with the files. After a failure,
the next run continues where this one stopped.

Exit codes: 0 the platform has what the folder says, 1 it has not, 2 wrong use: nothing was sent`;

/** `knowledge add`, `update` and `sync`: the bot's knowledge. */
export function define(knowledge: Command): void {
  knowledge.description("Adds and updates pairs of questions and answers in the bot's knowledge.");
  const add = knowledge
    .command('add')
    .summary('add documents')
    .description('Adds pairs as one document, or files as one document each.')
    .option('--name <name>', 'the name of the document that pairs become');
  addPairFlags(add)
    .option('--file-url <url>', 'a CSV file with pairs, as URL or name=URL; may be repeated', collect)
    .option(
      '--source-url <url>',
      'a document to turn into pairs, as URL or name=URL; may be repeated',
      collect,
    )
    .option('--file-list <file>', 'a CSV or JSON file that lists such files, "-" for standard input');
  addPlatformFlags(addProcessingFlags(add))
    .addHelpText('after', ADD_HELP)
    .action((flags: AddFlags) =>
      runWithPlatform(flags, async (platform, output) => {
        const { addQa } = await import('../knowledge/upload.js');
        return addQa(flags, platform, output);
      }),
    );

  const update = knowledge
    .command('update')
    .summary('replace the content of documents')
    .description('Replaces all pairs of one document, or the content of several documents by files.')
    .option('--doc <id>', 'the document whose pairs are replaced');
  addPairFlags(update).option(
    '--file-list <file>',
    'a CSV or JSON file that lists documents and their files, "-" for standard input',
  );
  addPlatformFlags(addProcessingFlags(update))
    .addHelpText('after', UPDATE_HELP)
    .action((flags: UpdateFlags) =>
      runWithPlatform(flags, async (platform, output) => {
        const { updateQa } = await import('../knowledge/upload.js');
        return updateQa(flags, platform, output);
      }),
    );

  const sync = knowledge
    .command('sync <folder>')
    .summary('keep documents in a folder of files')
    .description("Makes the bot's knowledge what the files of a folder say.")
    .option('--dry-run', 'show what would be sent, and send nothing')
    .option('--state <file>', 'the state file; default .handoff-knowledge.json in the folder')
    .option('--document <path=id>', 'the document of a file, or path=none; may be repeated', collect)
    .option('--knowledge-base <id>', "the knowledge base; default the bot's");
  addPlatformFlags(sync)
    .addHelpText('after', SYNC_HELP)
    .action((folder: string, flags: SyncFlags) =>
      runWithPlatform(flags, async (platform, output) => {
        const { syncKnowledge } = await import('../knowledge/sync.js');
        return syncKnowledge(folder, flags, platform, output);
      }),
    );
}

const addPairFlags = (command: Command): Command =>
  command
    .option('--pair <question=answer>', 'a question and its answer; may be repeated', collect)
    .option('--pairs <file>', 'a CSV or JSON file with pairs, "-" for standard input');

const addProcessingFlags = (command: Command): Command =>
  command
    .option('--knowledge-base <id>', "the knowledge base; default the bot's")
    .option('--header-row <number>', 'the row of a CSV file that names its columns', parseWholeNumber)
    .option(
      '--chunk-token <number>',
      `the tokens of a chunk; default ${DEFAULT_CHUNK_TOKEN}`,
      parseWholeNumber,
    )
    .option('--splitter <text>', 'the separator at which documents are split');

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function parseWholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}
