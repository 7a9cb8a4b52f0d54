import { ServiceError } from '../../client/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { type DocumentResult, MAX_FILES, type QaAnswer } from '../../protocol/index.js';

/** How far a run has come. */
export interface GroupProgress {
  /** Files that the service has answered for. */
  readonly done: number;
  readonly of: number;
  /** Files that it could not use. */
  readonly failed: number;
}

/** What became of files, each of which is in exactly one of these. */
export interface GroupsOutcome<File> {
  /** The documents that the service made or changed. */
  readonly documents: readonly DocumentResult[];
  /** The names of files that the service could not use. */
  readonly failed: readonly string[];
  /** Files that were sent, but nobody knows what became of them. */
  readonly unknown: readonly File[];
  /** Files that were not sent, or were sent in vain. */
  readonly notDone: readonly File[];
  /** What ended the run early; `null` when nothing did. */
  readonly error: HandoffKitError | null;
}

/** Sends files in groups as large as the service takes. The first group that fails as a whole ends it. */
export async function sendInGroups<File>(
  files: readonly File[],
  send: (group: readonly File[]) => Promise<QaAnswer>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: GroupProgress) => void },
): Promise<GroupsOutcome<File>> {
  const documents: DocumentResult[] = [];
  const failed: string[] = [];
  for (let start = 0; start < files.length; start += MAX_FILES) {
    const group = files.slice(start, start + MAX_FILES);
    const rest = files.slice(start + MAX_FILES);
    if (signal.aborted)
      return { documents, failed, unknown: [], notDone: [...group, ...rest], error: stopped() };
    try {
      const answer = await send(group);
      documents.push(...answer.doc);
      failed.push(...answer.failed);
      onProgress({ done: start + group.length, of: files.length, failed: failed.length });
    } catch (error) {
      if (!(error instanceof HandoffKitError)) throw error;
      const isUnknown = error instanceof ServiceError && error.outcome === 'unknown';
      const [unknown, notDone] = isUnknown ? [group, rest] : [[], [...group, ...rest]];
      return { documents, failed, unknown, notDone, error: signal.aborted ? stopped() : error };
    }
  }
  return { documents, failed, unknown: [], notDone: [], error: null };
}

const stopped = (): HandoffKitError =>
  new HandoffKitError('INTERRUPTED', 'stopped before everything was done.');
