import type { CallOptions, ServiceClient } from '../../client/index.js';
import { MAX_FILES, type QaAnswer, ValidationError } from '../../protocol/index.js';
import { onStopSignal } from '../../standalone/index.js';
import type { Output } from '../output.js';
import { UsageError } from '../run-command.js';
import { inShellWords, type ServiceFlags } from '../service/service-flags.js';
import { type FileFlags, readFilesToAdd, readFilesToUpdate } from './read-files.js';
import { type PairFlags, readPairs } from './read-pairs.js';
import { report } from './report.js';
import { type GroupProgress, type GroupsOutcome, sendInGroups } from './send-in-groups.js';

interface ProcessingFlags {
  readonly knowledgeBase?: string;
  readonly headerRow?: number;
  readonly chunkToken?: number;
  readonly splitter?: string;
}

/** What the command line says of pairs or files to add. */
export type AddFlags = ServiceFlags & ProcessingFlags & PairFlags & FileFlags & { readonly name?: string };

/** What the command line says of pairs or files to update. */
export type UpdateFlags = ServiceFlags &
  ProcessingFlags &
  PairFlags & { readonly doc?: string; readonly fileList?: string };

type Named = { readonly file_name: string };

/** Adds pairs as one document, or files as one document each. */
export async function addQa(flags: AddFlags, { knowledge }: ServiceClient, output: Output): Promise<number> {
  const qaList = await readPairs(flags);
  const toAdd = await readFilesToAdd(flags);
  const more = processingOf(flags);
  if (qaList.length > 0 && toAdd)
    throw new UsageError('pairs and files cannot go together. Add them one after the other.');
  if (!toAdd) {
    const { name } = flags;
    if (qaList.length === 0)
      throw new UsageError('there is nothing to add. Give pairs or files; see --help.');
    if (name === undefined) throw new UsageError('pairs become a document, which needs a name. Give --name.');
    return sendAll([{ file_name: name }], 'added', output, (_, options) =>
      knowledge.addQa({ purpose: 'QA_TEXT', name, qaList, ...more }, options),
    );
  }
  if (toAdd.purpose === 'QA_FILE') {
    return sendAll(toAdd.files, 'added', output, (files, options) =>
      knowledge.addQa({ purpose: 'QA_FILE', files: [...files], ...more }, options),
    );
  }
  return sendAll(toAdd.files, 'added', output, (files, options) =>
    knowledge.addQa({ purpose: 'FILE_2_QA', files: [...files], ...more }, options),
  );
}

/** Replaces the pairs of one document, or those of several by files. */
export async function updateQa(
  flags: UpdateFlags,
  { knowledge }: ServiceClient,
  output: Output,
): Promise<number> {
  const { doc, fileList } = flags;
  const qaList = await readPairs(flags);
  const more = processingOf(flags);
  if (fileList !== undefined) {
    if (qaList.length > 0 || doc !== undefined) {
      throw new UsageError('--file-list names its documents itself. Leave out --doc and the pairs.');
    }
    return sendAll(await readFilesToUpdate(fileList), 'updated', output, (files, options) =>
      knowledge.updateQa({ files: [...files], ...more }, options),
    );
  }
  if (doc === undefined || qaList.length === 0) {
    throw new UsageError(
      'there is nothing to update. Give --doc with all its pairs, or --file-list; see --help.',
    );
  }
  return sendAll([{ file_name: doc }], 'updated', output, (_, options) =>
    knowledge.updateQa({ doc_id: doc, qaList, ...more }, options),
  );
}

async function sendAll<File extends Named>(
  files: readonly File[],
  verb: 'added' | 'updated',
  output: Output,
  send: (group: readonly File[], options: CallOptions) => Promise<QaAnswer>,
): Promise<number> {
  const stop = new AbortController();
  const { signal } = stop;
  onStopSignal(process, { first: () => stop.abort(), again: () => process.exit(1) });
  const outcome = await sendInGroups(files, (group) => send(group, { signal }), { signal, onProgress: tell });
  if (nothingWasSent(outcome)) throw outcome.error;
  return report({ ...outcome, error: inShellWords(outcome.error) }, verb, output);
}

/** Progress is for people, and only where there is some. */
function tell({ done, of, failed }: GroupProgress): void {
  if (of > MAX_FILES)
    process.stderr.write(`${done} of ${of} files sent${failed > 0 ? `, ${failed} failed` : ''}\n`);
}

/** A mistake in what was given shows before anything is sent, so it is no result but wrong use. */
const nothingWasSent = ({ error, documents, failed }: GroupsOutcome<Named>): boolean =>
  error instanceof ValidationError && documents.length + failed.length === 0;

function processingOf({ knowledgeBase, headerRow, chunkToken, splitter }: ProcessingFlags) {
  return {
    ...(knowledgeBase !== undefined && { knowledge_base_id: knowledgeBase }),
    ...(headerRow !== undefined && { header_row: headerRow }),
    ...(chunkToken !== undefined && { chunk_token: chunkToken }),
    ...(splitter !== undefined && { splitter }),
  };
}
