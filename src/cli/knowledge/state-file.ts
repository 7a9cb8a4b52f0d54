import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '../input.js';
import { UsageError } from '../output.js';

/** The platform cannot list its documents, so their ids are kept beside the files, and can be committed with them. */
const stateFile = z.strictObject({
  version: z.literal(1),
  /** Documents of one platform mean nothing to another. */
  platform: z.string(),
  knowledgeBase: z.string().nullable(),
  documents: z.record(
    z.string(),
    z.strictObject({
      /** `null` from before the request that adds it until its answer. */
      docId: z.string().min(1).nullable(),
      /** Of the pairs that the platform has. */
      digest: z.string(),
    }),
  ),
});

export type KnowledgeState = z.infer<typeof stateFile>;

/** Reads the state file; without one, nothing has been sent yet. */
export async function readState(
  path: string,
  { platform, knowledgeBase }: Pick<KnowledgeState, 'platform' | 'knowledgeBase'>,
): Promise<KnowledgeState> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new UsageError(`cannot read ${path} (${error.code}).`, { cause: error });
  });
  if (text === null) return { version: 1, platform, knowledgeBase, documents: {} };
  const { data: state, error } = stateFile.safeParse(parseJson(text, path));
  if (!state) {
    const [issue] = error?.issues ?? [];
    throw new UsageError(
      `${path} is not a state file of this version: ${issue?.path.join('.')} ${issue?.message}.`,
    );
  }
  for (const [what, before, now] of [
    ['platform', state.platform, platform],
    ['knowledge base', state.knowledgeBase, knowledgeBase],
  ] as const) {
    if (before === now) continue;
    throw new UsageError(
      `${path} belongs to the ${what} ${before ?? '(default)'}, not ${now ?? '(default)'}. Give another file with --state.`,
    );
  }
  return state;
}

/** Replaces the state file at once, so that a killed process leaves the old one or the new one. */
export async function writeState(path: string, state: KnowledgeState): Promise<void> {
  const documents = Object.fromEntries(
    Object.entries(state.documents).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify({ ...state, documents }, null, 2)}\n`, { flush: true });
  await rename(temporary, path);
}
