import { z } from 'zod';

/** Per request. */
export const MAX_FILES = 20;

/** Tokens per chunk, unless `chunk_token` is set. */
export const DEFAULT_CHUNK_TOKEN = 600;

const name = z.string().min(1);
const anyFiles = <File extends z.ZodType>(file: File) =>
  z.array(file).max(MAX_FILES, `expected at most ${MAX_FILES} files in one request`);
const files = <File extends z.ZodType>(file: File) => anyFiles(file).min(1);

/** A question and its answer. */
export interface QaPair {
  question: string;
  answer: string;
}

const qaPair: z.ZodType<QaPair, QaPair> = z.looseObject({
  question: z.string().min(1),
  answer: z.string().min(1),
});

/** Schema of a CSV file with one pair per row. */
const qaFile = z.looseObject({ file_url: z.url(), file_name: name });

/** Schema of a document that the platform converts into pairs. */
const sourceFile = z.looseObject({ source_url: z.url(), file_name: name });

/** Schema of a file that replaces the pairs of a document. */
const updateFile = z.looseObject({ doc_id: name, source_url: z.url(), file_name: name });

const processing = {
  knowledge_base_id: name.optional(),
  header_row: z.int().nonnegative().optional(),
  chunk_token: z.int().positive().optional(),
  splitter: z.string().optional(),
};

/** Schema of a request to add pairs to a bot's knowledge; `purpose` decides which fields are required. */
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

/** Schema of a request to replace pairs: with `qaList` for one document, or with `files` for several, never both. */
export const qaUpdate = z
  .looseObject({
    doc_id: name.optional(),
    qaList: z.array(qaPair).optional(),
    files: anyFiles(updateFile).optional(),
    ...processing,
  })
  .superRefine((update, context) => {
    const pairs = update.qaList?.length ?? 0;
    const fileCount = update.files?.length ?? 0;
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (pairs > 0 && fileCount > 0) problem('files', 'qaList and files exclude each other: send one of them');
    if (pairs === 0 && fileCount === 0)
      problem('qaList', 'qaList and files cannot both be empty: send one of them');
    if (pairs > 0 && !update.doc_id) problem('doc_id', 'doc_id is required with qaList');
  });

/** A document that was added or updated. */
export interface DocumentResult {
  doc_id: string;
  /** `null` if the platform did not send it. */
  doc_name: string | null;
}

const documentResult: z.ZodType<DocumentResult> = z.looseObject({ doc_id: z.string(), doc_name: z.string() });

const optionalList = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullable()
    .default([])
    .transform((items) => items ?? []);

/** The answer to a request to add or replace pairs. */
export interface QaAnswer {
  /** The documents that were added or updated. */
  doc: DocumentResult[];
  /** The names of the files that failed. */
  failed: string[];
}

export const qaAnswer: z.ZodType<QaAnswer> = z.looseObject({
  doc: optionalList(documentResult),
  failed: optionalList(z.string()),
});

/** Settings of how pairs are read and where they go. */
export interface QaProcessing {
  /** Default: the bot's default knowledge base. */
  readonly knowledge_base_id?: string;
  readonly header_row?: number;
  readonly chunk_token?: number;
  readonly splitter?: string;
  /** Fields that this version does not know, sent unchanged. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A CSV file with one pair per row. */
export interface QaFile {
  readonly file_url: string;
  readonly file_name: string;
}

/** A document that the platform converts into pairs. */
export interface SourceFile {
  readonly source_url: string;
  readonly file_name: string;
}

/** A request to add pairs, with the fields of its purpose. */
export type QaAdd = QaProcessing &
  (
    | { readonly purpose: 'QA_TEXT'; readonly name: string; readonly qaList: readonly QaPair[] }
    | { readonly purpose: 'QA_FILE'; readonly name?: string; readonly files: readonly QaFile[] }
    | { readonly purpose: 'FILE_2_QA'; readonly name?: string; readonly files: readonly SourceFile[] }
  );

/** A request to replace the pairs of one document, or of several by files. */
export type QaUpdate = QaProcessing &
  (
    | { readonly doc_id: string; readonly qaList: readonly QaPair[]; readonly files?: never }
    | {
        readonly files: readonly (SourceFile & { readonly doc_id: string })[];
        readonly doc_id?: never;
        readonly qaList?: never;
      }
  );

const PROCESSING = [...Object.keys(processing), 'extra'];

/** The fields of requests, whatever their purpose. */
export const QA_FIELDS = {
  addQa: ['purpose', 'name', 'qaList', 'files', ...PROCESSING],
  updateQa: ['doc_id', 'qaList', 'files', ...PROCESSING],
} as const;

/** The fields of the items in requests, whatever their purpose. */
export const QA_ITEM_FIELDS = {
  qaList: ['question', 'answer'],
  files: ['doc_id', 'file_url', 'source_url', 'file_name'],
} as const;
