import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_CHUNK_TOKEN, MAX_FILES } from '../../protocol/index.js';
import type { AddFlags, UpdateFlags } from '../qa/run-qa.js';
import { addServiceFlags, runWithService, SERVICE_HELP } from '../service/service-flags.js';

const FILES_HELP = `
  More than ${MAX_FILES} files are sent in groups of ${MAX_FILES}. A group that fails as a whole, or Ctrl-C, ends the run; it says what
  was done, what was not, and of what that is not known. With --json, "notDone" can be the next --file-list.`;

const ADD_HELP = `${SERVICE_HELP}

One document from pairs:
  $ handoff-kit qa add --name Shipping --pair 'How long does it take?=Two days.' --pair 'What is the price?=5 EUR'
  $ handoff-kit qa add --name Shipping --pairs shipping.csv      columns: question, answer
  $ handoff-kit qa add --name Shipping --pairs shipping.json     [{"question": "…", "answer": "…"}]

One document for each file, which the service fetches:
  $ handoff-kit qa add --file-url https://my.host/prices.csv                 CSV with pairs
  $ handoff-kit qa add --source-url 'Manual.md=https://my.host/manual?v=2'   made into pairs by the service
  $ handoff-kit qa add --file-list files.csv     columns: file_url or source_url, and file_name
${FILES_HELP}

Exit codes: 0 all of it was added, 1 something was not, 2 wrong use: nothing was sent`;

const UPDATE_HELP = `${SERVICE_HELP}

All pairs of one document are replaced:
  $ handoff-kit qa update --doc 65d4… --pairs shipping.csv

Documents are replaced by files, which the service fetches:
  $ handoff-kit qa update --file-list files.csv     columns: doc_id, source_url, and file_name
${FILES_HELP}

Exit codes: 0 all of it was updated, 1 something was not, 2 wrong use: nothing was sent`;

/** `qa add` and `qa update`: what the agent knows. */
export function define(qa: Command): void {
  qa.description('Adds and updates pairs of questions and answers in the knowledge of the agent.');
  const add = qa
    .command('add')
    .summary('add documents')
    .description('Adds pairs as one document, or files as one document each.')
    .option('--name <name>', 'the name of the document that pairs become');
  addPairFlags(add)
    .option('--file-url <url>', 'a CSV file with pairs, as URL or name=URL; may be repeated', gather)
    .option(
      '--source-url <url>',
      'a document to be made into pairs, as URL or name=URL; may be repeated',
      gather,
    )
    .option('--file-list <file>', 'a CSV or JSON file that lists such files, "-" for standard input');
  addServiceFlags(addProcessingFlags(add))
    .addHelpText('after', ADD_HELP)
    .action((flags: AddFlags) =>
      runWithService(flags, async (service, output) => {
        const { addQa } = await import('../qa/run-qa.js');
        return addQa(flags, service, output);
      }),
    );

  const update = qa
    .command('update')
    .summary('replace what documents hold')
    .description('Replaces all pairs of one document, or those of several documents by files.')
    .option('--doc <id>', 'the document whose pairs are replaced');
  addPairFlags(update).option(
    '--file-list <file>',
    'a CSV or JSON file that lists documents and their files, "-" for standard input',
  );
  addServiceFlags(addProcessingFlags(update))
    .addHelpText('after', UPDATE_HELP)
    .action((flags: UpdateFlags) =>
      runWithService(flags, async (service, output) => {
        const { updateQa } = await import('../qa/run-qa.js');
        return updateQa(flags, service, output);
      }),
    );
}

const addPairFlags = (command: Command): Command =>
  command
    .option('--pair <question=answer>', 'a question and its answer; may be repeated', gather)
    .option('--pairs <file>', 'a CSV or JSON file with pairs, "-" for standard input');

const addProcessingFlags = (command: Command): Command =>
  command
    .option('--knowledge-base <id>', 'the knowledge base; default that of the agent')
    .option('--header-row <number>', 'the row of a CSV file that names its columns', parseWhole)
    .option('--chunk-token <number>', `tokens of a chunk; default ${DEFAULT_CHUNK_TOKEN}`, parseWhole)
    .option('--splitter <text>', 'where documents are cut');

const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function parseWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}
