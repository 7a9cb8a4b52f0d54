import { join } from 'node:path';
import { createColors } from 'picocolors';
import { type PlatformClient, PlatformError } from '../../client/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { printable } from '../../internal/readable-log.js';
import { onStopSignal } from '../../standalone/index.js';
import { describeFailure, EXIT, type Output, print, table, UsageError } from '../output.js';
import type { PlatformFlags } from '../platform-flags.js';
import { type DocumentPart, listFiles, readParts } from './folder.js';
import { type KnowledgeState, readState, writeState } from './state-file.js';

/*
 * A document of the platform for each file of a folder:
 *
 *   no entry in the state file ──► add      marked before the request, so that a lost answer is no second document
 *   marked, without an id ───────► unknown  left alone until the user says what became of it
 *   another digest ──────────────► update   replaces all pairs; repeated without harm
 *   the same digest ─────────────► nothing is sent
 *   an entry without a file ─────► removed  told; the platform has no call that removes a document
 */

/** The flags of `knowledge sync`. */
export interface SyncFlags extends PlatformFlags {
  readonly knowledgeBase?: string;
  readonly state?: string;
  readonly dryRun?: boolean;
  readonly document?: readonly string[];
}

const ACTIONS = ['add', 'update', 'unchanged', 'unknown', 'removed'] as const;
type Action = (typeof ACTIONS)[number];

/** What a run does about one document. */
interface Step {
  readonly action: Action;
  readonly path: string;
  readonly docId: string | null;
  readonly pairs: number;
  readonly digest: string;
}

/** Makes the bot's knowledge what the files of a folder say. */
export async function syncKnowledge(
  folder: string,
  flags: SyncFlags,
  { knowledge }: PlatformClient,
  output: Output,
): Promise<number> {
  const statePath = flags.state ?? join(folder, '.handoff-knowledge.json');
  const platform = new URL(flags.platformBaseUrl ?? '').origin;
  const { knowledgeBase = null } = flags;
  const state = await readState(statePath, { platform, knowledgeBase });
  const files = await listFiles(folder);
  if (files.length === 0 && Object.keys(state.documents).length === 0) {
    throw new UsageError(`${folder} holds no Markdown or CSV file.`);
  }
  assignDocuments(state, flags.document ?? [], files);
  // Every file is read before the first is sent: a mistake in one changes nothing.
  const plan = await planSteps(folder, files, state);
  if (flags.dryRun) {
    print(output, { ok: true, dryRun: true, plan }, describePlan(plan, output).join('\n'));
    return EXIT.ok;
  }
  const stop = new AbortController();
  onStopSignal(process, { first: () => stop.abort(), again: () => process.exit(1) });
  const send = async (step: Step): Promise<void> => {
    const part = (await readParts(folder, fileOf(step.path))).find(({ path }) => path === step.path);
    if (part?.digest !== step.digest)
      throw new UsageError(`${step.path} changed after it was read. Run the command again.`);
    const base = knowledgeBase === null ? {} : { knowledge_base_id: knowledgeBase };
    if (step.docId === null) await add(part, base);
    else await update(step.docId, part, base);
  };

  const add = async (part: DocumentPart, base: { knowledge_base_id?: string }): Promise<void> => {
    const { path, name, pairs, digest } = part;
    state.documents[path] = { docId: null, digest };
    await writeState(statePath, state);
    try {
      const request = { purpose: 'QA_TEXT', name, qaList: pairs, ...base } as const;
      const { doc } = await knowledge.addQa(request, { signal: stop.signal });
      const [document] = doc;
      if (!document) throw new HandoffKitError('BAD_ANSWER', 'the answer of the platform names no document.');
      state.documents[path] = { docId: document.doc_id, digest };
    } catch (error) {
      if (error instanceof PlatformError && error.outcome === 'not-applied') delete state.documents[path];
      throw error;
    } finally {
      await writeState(statePath, state);
    }
  };

  const update = async (docId: string, part: DocumentPart, base: object): Promise<void> => {
    const { path, pairs, digest } = part;
    await knowledge.updateQa({ doc_id: docId, qaList: pairs, ...base }, { signal: stop.signal });
    state.documents[path] = { docId, digest };
    await writeState(statePath, state);
  };

  const outcome = await run(plan, send, stop.signal);
  return report(outcome, plan, output);
}

/** The file of a part. */
const fileOf = (path: string): string => path.replace(/#\d+$/, '');

/** Enters what the user knows about documents: `path=id`, or `path=none` for one that the platform does not have. */
function assignDocuments(state: KnowledgeState, given: readonly string[], files: readonly string[]): void {
  for (const text of given) {
    const [, path = '', docId = ''] = /^(.+)=(.+)$/.exec(text) ?? [];
    if (!files.includes(fileOf(path)) && !state.documents[path]) {
      throw new UsageError(
        `--document ${text} names no file of the folder. Give path=id, or path=none for a document that the platform does not have.`,
      );
    }
    if (docId === 'none') delete state.documents[path];
    else state.documents[path] = { docId, digest: 'unknown' };
  }
}

async function planSteps(folder: string, files: readonly string[], state: KnowledgeState): Promise<Step[]> {
  const steps: Step[] = [];
  for (const file of files) {
    for (const { path, pairs, digest } of await readParts(folder, file)) {
      const known = state.documents[path];
      const step = { path, docId: known?.docId ?? null, pairs: pairs.length, digest };
      if (!known) steps.push({ ...step, action: 'add' });
      else if (known.docId === null) steps.push({ ...step, action: 'unknown' });
      else steps.push({ ...step, action: known.digest === digest ? 'unchanged' : 'update' });
    }
  }
  const present = new Set(steps.map(({ path }) => path));
  for (const [path, { docId, digest }] of Object.entries(state.documents)) {
    if (!present.has(path)) steps.push({ action: 'removed', path, docId, pairs: 0, digest });
  }
  return steps;
}

interface SyncOutcome {
  readonly done: readonly Step[];
  /** Documents that the platform refused, each with its reason. */
  readonly failed: readonly { readonly step: Step; readonly error: HandoffKitError }[];
  readonly notDone: readonly Step[];
  /** The error that ended the run early, or `null`. */
  readonly error: HandoffKitError | null;
}

/** Sends one document after another. A refusal concerns one of them; any other error ends the run. */
async function run(
  plan: readonly Step[],
  send: (step: Step) => Promise<void>,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  const toSend = plan.filter(({ action }) => action === 'add' || action === 'update');
  const done: Step[] = [];
  const failed: { step: Step; error: HandoffKitError }[] = [];
  for (const [index, step] of toSend.entries()) {
    showProgress(index, toSend.length, step.path);
    try {
      if (signal.aborted) throw new HandoffKitError('INTERRUPTED', 'stopped before everything was done.');
      await send(step);
      done.push(step);
    } catch (error) {
      if (!(error instanceof HandoffKitError)) throw error;
      failed.push({ step, error });
      if (error.code === 'PLATFORM_REFUSED') continue;
      hideProgress();
      return { done, failed, notDone: toSend.slice(index + 1), error };
    }
  }
  hideProgress();
  return { done, failed, notDone: [], error: null };
}

const BAR_WIDTH = 24;

function showProgress(done: number, total: number, path: string): void {
  if (!process.stderr.isTTY) return;
  const filled = Math.round((done / total) * BAR_WIDTH);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
  process.stderr.write(`\r\u001b[K${bar} ${done} of ${total}  ${printable(path)}`);
}

function hideProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function report(
  { done, failed, notDone, error }: SyncOutcome,
  plan: readonly Step[],
  output: Output,
): number {
  const { green, red } = createColors(output.colours);
  const unknown = plan.filter(({ action }) => action === 'unknown');
  const ok = failed.length === 0 && unknown.length === 0;
  const failures = failed.map(({ step, error: reason }) => ({ step, failure: describeFailure(reason) }));
  const text = [
    ...describePlan(
      plan.filter((step) => step.action !== 'add' && step.action !== 'update'),
      output,
    ),
    ...done.map(({ action, path }) => green(`${action === 'add' ? 'added' : 'updated'} ${printable(path)}`)),
    ...failures.map(({ step, failure }) => red(`${step.action} ${printable(step.path)}: ${failure.text}`)),
    ...(notDone.length > 0 ? [red(`${notDone.length} not sent; the next run continues with them.`)] : []),
    ...(ok ? ['The platform has what the folder says.'] : []),
  ].join('\n');
  const data = {
    ok,
    plan,
    done: done.map(({ path }) => path),
    failed: failures.map(({ step, failure }) => ({ path: step.path, error: failure.data })),
    notDone: notDone.map(({ path }) => path),
    ...(error && { error: describeFailure(error).data }),
  };
  print(output, data, text);
  return ok ? EXIT.ok : EXIT.no;
}

/** What is to be done, one line for each document that is not as it should be. */
function describePlan(plan: readonly Step[], output: Output): string[] {
  const { dim, green, yellow } = createColors(output.colours);
  const count = (action: Action): number => plan.filter((step) => step.action === action).length;
  const counts = ACTIONS.filter((action) => count(action) > 0).map(
    (action) => `${count(action)} ${TITLES[action]}`,
  );
  const rows = plan
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, path, pairs, docId }) => [
      SIGNS[action],
      printable(path),
      action === 'removed'
        ? `document ${docId ?? '(unknown)'}`
        : `${pairs} ${pairs === 1 ? 'pair' : 'pairs'}`,
    ]);
  return [
    ...(counts.length > 0 ? [counts.join(', ')] : []),
    ...(rows.length > 0 ? [green(table(rows))] : []),
    ...(count('unknown') > 0 ? [yellow(UNKNOWN_HELP)] : []),
    ...(count('removed') > 0 ? [dim(REMOVED_HELP)] : []),
  ];
}

const TITLES: Readonly<Record<Action, string>> = {
  add: 'to add',
  update: 'to update',
  unchanged: 'unchanged',
  unknown: 'with an unknown outcome',
  removed: 'without a file',
};
const SIGNS: Readonly<Record<Action, string>> = {
  add: '+',
  update: '~',
  unchanged: '=',
  unknown: '?',
  removed: '-',
};

const UNKNOWN_HELP =
  'Documents marked "?" were sent, and no answer came. Look at the knowledge base: give --document path=id if it has the document, or --document path=none to add it again.';
const REMOVED_HELP =
  'Documents marked "-" have no file any more. The platform has no call that removes a document: remove it there, then give --document path=none.';
