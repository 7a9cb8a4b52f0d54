import { createColors } from 'picocolors';
import { type CallOptions, type PlatformClient, PlatformError } from '../../client/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { printable } from '../../internal/readable-log.js';
import { type DocumentResult, MAX_FILES, type QaResult, ValidationError } from '../../protocol/index.js';
import { onStopSignal } from '../../standalone/index.js';
import { describeFailure, EXIT, type Output, print, UsageError } from '../output.js';
import type { PlatformFlags } from '../platform-flags.js';
import { type FileFlags, type PairFlags, readFilesToAdd, readFilesToUpdate, readPairs } from './input.js';

interface ProcessingFlags {
  readonly knowledgeBase?: string;
  readonly headerRow?: number;
  readonly chunkToken?: number;
  readonly splitter?: string;
}

/** The flags of `knowledge add`. */
export type AddFlags = PlatformFlags & ProcessingFlags & PairFlags & FileFlags & { readonly name?: string };

/** The flags of `knowledge update`. */
export type UpdateFlags = PlatformFlags &
  ProcessingFlags &
  PairFlags & { readonly doc?: string; readonly fileList?: string };

/** Adds pairs as one document, or files as one document each. */
export async function addQa(flags: AddFlags, { knowledge }: PlatformClient, output: Output): Promise<number> {
  const qaList = await readPairs(flags);
  const toAdd = await readFilesToAdd(flags);
  const processing = processingOptions(flags);
  if (qaList.length > 0 && toAdd) {
    throw new UsageError('pairs and files cannot go together. Add them one after the other.');
  }
  if (!toAdd) {
    const { name } = flags;
    if (qaList.length === 0) {
      throw new UsageError('there is nothing to add. Give pairs or files; see --help.');
    }
    if (name === undefined) throw new UsageError('pairs become a document, which needs a name. Give --name.');
    return upload([{ file_name: name }], 'added', output, (_, options) =>
      knowledge.addQa({ purpose: 'QA_TEXT', name, qaList, ...processing }, options),
    );
  }
  if (toAdd.purpose === 'QA_FILE') {
    return upload(toAdd.files, 'added', output, (files, options) =>
      knowledge.addQa({ purpose: 'QA_FILE', files: [...files], ...processing }, options),
    );
  }
  return upload(toAdd.files, 'added', output, (files, options) =>
    knowledge.addQa({ purpose: 'FILE_2_QA', files: [...files], ...processing }, options),
  );
}

/** Replaces the pairs of one document, or the content of several documents by files. */
export async function updateQa(
  flags: UpdateFlags,
  { knowledge }: PlatformClient,
  output: Output,
): Promise<number> {
  const { doc, fileList } = flags;
  const qaList = await readPairs(flags);
  const processing = processingOptions(flags);
  if (fileList !== undefined) {
    if (qaList.length > 0 || doc !== undefined) {
      throw new UsageError('--file-list names its documents itself. Leave out --doc and the pairs.');
    }
    return upload(await readFilesToUpdate(fileList), 'updated', output, (files, options) =>
      knowledge.updateQa({ files: [...files], ...processing }, options),
    );
  }
  if (doc === undefined || qaList.length === 0) {
    throw new UsageError(
      'there is nothing to update. Give --doc with all its pairs, or --file-list; see --help.',
    );
  }
  return upload([{ file_name: doc }], 'updated', output, (_, options) =>
    knowledge.updateQa({ doc_id: doc, qaList, ...processing }, options),
  );
}

function processingOptions({ knowledgeBase, headerRow, chunkToken, splitter }: ProcessingFlags) {
  return {
    ...(knowledgeBase !== undefined && { knowledge_base_id: knowledgeBase }),
    ...(headerRow !== undefined && { header_row: headerRow }),
    ...(chunkToken !== undefined && { chunk_token: chunkToken }),
    ...(splitter !== undefined && { splitter }),
  };
}

type NamedFile = { readonly file_name: string };

/** Sends files in groups until all are sent, a group fails or a signal arrives. Prints the outcome. */
async function upload<File extends NamedFile>(
  files: readonly File[],
  verb: 'added' | 'updated',
  output: Output,
  send: (group: readonly File[], options: CallOptions) => Promise<QaResult>,
): Promise<number> {
  const stop = new AbortController();
  const { signal } = stop;
  onStopSignal(process, { first: () => stop.abort(), again: () => process.exit(1) });
  const outcome = await sendInGroups(files, (group) => send(group, { signal }), signal);
  // The client validates before it sends: an invalid first group is wrong use, not an outcome.
  const { error, documents, failed } = outcome;
  if (error instanceof ValidationError && documents.length + failed.length === 0) throw error;
  return report(outcome, verb, output);
}

/** The outcome of an upload. Each file is in exactly one of the lists, except those that the platform passed over. */
interface UploadOutcome<File> {
  /** The documents that the platform created or changed. */
  readonly documents: readonly DocumentResult[];
  /** The names of files that the platform could not use. */
  readonly failed: readonly string[];
  /** How many files the platform named neither as done nor as failed. */
  readonly missing: number;
  /** Files that were sent without an answer that can be read. */
  readonly unknown: readonly File[];
  /** Files that were not sent, or that were refused with their group. */
  readonly notDone: readonly File[];
  /** The error that ended the upload early, or `null`. */
  readonly error: HandoffKitError | null;
}

/** Sends groups as large as the platform accepts. The first group that fails as a whole ends the upload. */
async function sendInGroups<File>(
  files: readonly File[],
  send: (group: readonly File[]) => Promise<QaResult>,
  signal: AbortSignal,
): Promise<UploadOutcome<File>> {
  const documents: DocumentResult[] = [];
  const failed: string[] = [];
  let missing = 0;
  for (let start = 0; start < files.length; start += MAX_FILES) {
    const group = files.slice(start, start + MAX_FILES);
    const rest = files.slice(start + MAX_FILES);
    if (signal.aborted) {
      return { documents, failed, missing, unknown: [], notDone: [...group, ...rest], error: interrupted() };
    }
    try {
      const answer = await send(group);
      documents.push(...answer.doc);
      failed.push(...answer.failed);
      missing += answer.missing;
      reportProgress(start + group.length, files.length, failed.length);
    } catch (error) {
      if (!(error instanceof HandoffKitError)) throw error;
      const isUnknown = error instanceof PlatformError && error.outcome === 'unknown';
      const [unknown, notDone] = isUnknown ? [group, rest] : [[], [...group, ...rest]];
      return { documents, failed, missing, unknown, notDone, error: signal.aborted ? interrupted() : error };
    }
  }
  return { documents, failed, missing, unknown: [], notDone: [], error: null };
}

const interrupted = (): HandoffKitError =>
  new HandoffKitError('INTERRUPTED', 'stopped before everything was done.');

/** A single group needs no progress. */
function reportProgress(sent: number, total: number, failed: number): void {
  if (total <= MAX_FILES) return;
  process.stderr.write(`${sent} of ${total} files sent${failed > 0 ? `, ${failed} failed` : ''}\n`);
}

function report<File extends NamedFile>(
  { documents, failed, missing, unknown, notDone, error }: UploadOutcome<File>,
  verb: 'added' | 'updated',
  output: Output,
): number {
  const ok = error === null && failed.length === 0 && missing === 0;
  const { green, red, yellow } = createColors(output.colours);
  const failure = error && describeFailure(error);
  const names = (files: readonly File[]): string[] => files.map(({ file_name }) => file_name);
  const text = [
    ...section(
      green(`${documents.length} ${verb}:`),
      documents.map(({ doc_id, doc_name }) => `${doc_id}  ${doc_name ?? ''}`.trimEnd()),
    ),
    ...section(red(`${failed.length} failed, says the platform:`), failed),
    ...section(yellow(`${unknown.length} may be ${verb}, the outcome is unknown:`), names(unknown)),
    ...section(red(`${notDone.length} not ${verb}:`), names(notDone)),
    ...(missing > 0 ? [yellow(`${missing} may be ${verb}: ${PASSED_OVER}`)] : []),
    ...(failure ? [red(failure.text)] : []),
  ].join('\n');
  print(
    output,
    { ok, documents, failed, missing, unknown, notDone, ...(failure && { error: failure.data }) },
    text,
  );
  return ok ? EXIT.ok : EXIT.no;
}

const PASSED_OVER =
  'the answer of the platform names fewer documents than files. Look at the knowledge base before you send them again.';

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${printable(line)}`)];
