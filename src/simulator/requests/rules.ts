import { MAX_FILES } from '../specification.js';
import { type Fields, readFields } from './fields.js';

/** A question and its answer. */
export interface SimulatedQaPair {
  readonly question: string;
  readonly answer: string;
}

/** How a request's files are read. */
export interface FileProcessing {
  readonly headerRow: number | undefined;
  readonly chunkToken: number | undefined;
  readonly splitter: string | undefined;
}

/** A file of a request to add documents. */
interface AddedFile {
  readonly name: string;
  readonly url: string;
}

/** A file of a request to update documents. */
interface UpdatedFile extends AddedFile {
  readonly docId: string;
}

/** A request to add documents. */
export interface AddRequest extends FileProcessing {
  readonly knowledgeBaseId: string | undefined;
  readonly content:
    | { readonly purpose: 'QA_TEXT'; readonly name: string; readonly pairs: readonly SimulatedQaPair[] }
    | { readonly purpose: 'QA_FILE' | 'FILE_2_QA'; readonly files: readonly AddedFile[] };
}

/** A request to replace the pairs of one document, or of the documents that its files name. */
export interface UpdateRequest extends FileProcessing {
  readonly knowledgeBaseId: string | undefined;
  readonly content:
    | { readonly docId: string; readonly pairs: readonly SimulatedQaPair[] }
    | { readonly files: readonly UpdatedFile[] };
}

/** Reads a request to add documents, or throws the refusal. */
export function readAddRequest(body: unknown): AddRequest {
  const fields = readFields(body);
  const purpose = fields.text('purpose');
  const name = fields.optionalText('name');
  const pairs = readPairs(fields);
  const files = readFiles(fields);
  const request = { ...readProcessing(fields), knowledgeBaseId: fields.optionalText('knowledge_base_id') };
  switch (purpose) {
    case 'QA_TEXT':
      if (name === undefined) throw fields.refusal('name', 'required if purpose is QA_TEXT');
      if (pairs.length === 0)
        throw fields.refusal('qaList', 'expected at least one pair if purpose is QA_TEXT');
      return { ...request, content: { purpose, name, pairs } };
    case 'QA_FILE':
    case 'FILE_2_QA': {
      if (files.length === 0)
        throw fields.refusal('files', `expected at least one file if purpose is ${purpose}`);
      const url = purpose === 'QA_FILE' ? 'file_url' : 'source_url';
      const named = files.map((file) => ({ name: file.text('file_name'), url: file.url(url) }));
      return { ...request, content: { purpose, files: named } };
    }
    default:
      throw fields.refusal('purpose', 'expected QA_TEXT, QA_FILE or FILE_2_QA');
  }
}

/** Reads a request to update documents, or throws the refusal. */
export function readUpdateRequest(body: unknown): UpdateRequest {
  const fields = readFields(body);
  const docId = fields.optionalText('doc_id');
  const pairs = readPairs(fields);
  const files = readFiles(fields);
  const request = { ...readProcessing(fields), knowledgeBaseId: fields.optionalText('knowledge_base_id') };
  if (pairs.length > 0 && files.length > 0)
    throw fields.refusal('files', 'qaList and files exclude each other: send one of them');
  if (files.length > 0) {
    const named = files.map((file) => ({
      docId: file.text('doc_id'),
      name: file.text('file_name'),
      url: file.url('source_url'),
    }));
    return { ...request, content: { files: named } };
  }
  if (pairs.length === 0)
    throw fields.refusal('qaList', 'qaList and files cannot both be empty: send one of them');
  if (docId === undefined) throw fields.refusal('doc_id', 'required with qaList');
  return { ...request, content: { docId, pairs } };
}

/** Reads an agent's reply, or throws the refusal. */
export function readReply(body: unknown) {
  const fields = readFields(body);
  return {
    conversationId: fields.text('conversation_id'),
    timestamp: fields.integer('timestamp', 0),
    text: fields.text('body'),
  };
}

/** Reads an agent's close, or throws the refusal. */
export function readClose(body: unknown) {
  const fields = readFields(body);
  return {
    conversationId: fields.text('conversation_id'),
    timestamp: fields.integer('timestamp', 0),
  };
}

function readPairs(fields: Fields): SimulatedQaPair[] {
  return fields
    .list('qaList')
    .map((pair) => ({ question: pair.text('question'), answer: pair.text('answer') }));
}

function readFiles(fields: Fields): Fields[] {
  const files = fields.list('files');
  if (files.length > MAX_FILES)
    throw fields.refusal('files', `expected at most ${MAX_FILES} files in one request`);
  return files;
}

function readProcessing(fields: Fields): FileProcessing {
  return {
    headerRow: fields.optionalInteger('header_row', 0),
    chunkToken: fields.optionalInteger('chunk_token', 1),
    splitter: fields.optionalString('splitter'),
  };
}
