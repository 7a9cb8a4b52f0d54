import { z } from 'zod';

/** Files one request may name. */
export const MAX_FILES = 20;

/** Tokens a chunk has when `chunk_token` is not given. */
export const DEFAULT_CHUNK_TOKEN = 600;

/** How the pairs of a document come about. */
export const QA_PURPOSES = ['QA_TEXT', 'QA_FILE', 'FILE_2_QA'] as const;

const name = z.string().min(1);
const files = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(entry).min(1).max(MAX_FILES, `expected at most ${MAX_FILES} files in one request`);

/** A question and its answer (2.1). */
export const qaPair = z.looseObject({ question: z.string().min(1), answer: z.string().min(1) });

/** A file in QA (CSV) form (2.2). */
export const qaFile = z.looseObject({ file_url: z.url(), file_name: name });

/** A document to be turned into pairs (2.2). */
export const sourceFile = z.looseObject({ source_url: z.url(), file_name: name });

/** A file that replaces what a document holds (2.2). */
export const updateFile = z.looseObject({ doc_id: name, source_url: z.url(), file_name: name });

const processing = {
  knowledge_base_id: name.optional(),
  header_row: z.int().nonnegative().optional(),
  chunk_token: z.int().positive().optional(),
  splitter: z.string().optional(),
};

/** Adds pairs to the knowledge of an agent (4.1); which fields are needed depends on `purpose`. */
export const qaAdd = z.discriminatedUnion('purpose', [
  z.looseObject({ purpose: z.literal('QA_TEXT'), name, qaList: z.array(qaPair).min(1), ...processing }),
  z.looseObject({
    purpose: z.literal('QA_FILE'),
    name: name.optional(),
    files: files(qaFile),
    ...processing,
  }),
  z.looseObject({
    purpose: z.literal('FILE_2_QA'),
    name: name.optional(),
    files: files(sourceFile),
    ...processing,
  }),
]);

/** Replaces what documents hold (4.2): by pairs for one document, or by files for several, never both. */
export const qaUpdate = z
  .looseObject({
    doc_id: name.optional(),
    qaList: z.array(qaPair).optional(),
    files: z
      .array(updateFile)
      .max(MAX_FILES, `expected at most ${MAX_FILES} files in one request`)
      .optional(),
    ...processing,
  })
  .superRefine((update, context) => {
    const pairs = update.qaList?.length ?? 0;
    const named = update.files?.length ?? 0;
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (pairs > 0 && named > 0) problem('files', 'qaList and files exclude each other: send one of them');
    if (pairs === 0 && named === 0)
      problem('qaList', 'qaList and files cannot both be empty: send one of them');
    if (pairs > 0 && !update.doc_id) problem('doc_id', 'doc_id is required with qaList');
  });

/** A document that was added or updated (2.3). */
export const documentResult = z.looseObject({ doc_id: z.string(), doc_name: z.string() });

/** The answer to adding and updating: the documents done, and the names of the files that failed. */
export const qaAnswer = z.looseObject({
  doc: z
    .array(documentResult)
    .nullable()
    .default([])
    .transform((documents) => documents ?? []),
  failed: z
    .array(z.string())
    .nullable()
    .default([])
    .transform((names) => names ?? []),
});

/** A question and its answer. */
export type QaPair = z.output<typeof qaPair>;
/** A request to add pairs. */
export type QaAdd = z.input<typeof qaAdd>;
/** A request to replace pairs. */
export type QaUpdate = z.input<typeof qaUpdate>;
/** A document that was added or updated. */
export type DocumentResult = z.output<typeof documentResult>;
/** The documents done and the files that failed. */
export type QaAnswer = z.output<typeof qaAnswer>;
