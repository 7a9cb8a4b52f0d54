import { parameterError } from '../error.js';
import type { AddRequest, FileProcessing, SimulatedQaPair, UpdateRequest } from '../requests/rules.js';
import { newId } from '../sending/bodies.js';
import type { TrafficRecorder } from '../traffic.js';
import { readCsv, splitDocument } from './parse-file.js';

/** Used if a request names no knowledge base. */
const DEFAULT_KNOWLEDGE_BASE = 'default';

export interface QaDocument {
  readonly docId: string;
  readonly botId: string;
  readonly name: string;
  readonly knowledgeBaseId: string;
  readonly purpose: 'QA_TEXT' | 'QA_FILE' | 'FILE_2_QA';
  readonly pairs: readonly SimulatedQaPair[];
}

/** A document that was added or updated, in the platform's format. */
interface DocumentResult {
  readonly doc_id: string;
  readonly doc_name: string;
}

/** The answer to a request that adds or updates documents, in the platform's format. */
interface DocumentsAnswer {
  readonly doc: readonly DocumentResult[];
  /** The names of the files that failed. */
  readonly failed: readonly string[];
}

/** The QA documents of all bots. */
export interface KnowledgeBase {
  /** A bot's documents, in order of creation. */
  documents: (botId: string) => readonly QaDocument[];
  add: (botId: string, request: AddRequest) => Promise<DocumentsAnswer>;
  /** Replaces all pairs of the given documents. */
  update: (botId: string, request: UpdateRequest) => Promise<DocumentsAnswer>;
  /** The answer to a question that a document contains literally, ignoring case. */
  answerTo: (botId: string, question: string) => string | undefined;
}

export function createKnowledgeBase(fetchFile: FetchFile): KnowledgeBase {
  const store = new Map<string, QaDocument>();
  const documents = (botId: string) => [...store.values()].filter((document) => document.botId === botId);

  const save = (document: QaDocument): DocumentResult => {
    store.set(document.docId, document);
    return { doc_id: document.docId, doc_name: document.name };
  };

  const find = (botId: string, docId: string, knowledgeBaseId: string | undefined, field: string) => {
    const document = store.get(docId);
    const isOwn = document?.botId === botId;
    if (isOwn && (knowledgeBaseId ?? document.knowledgeBaseId) === document.knowledgeBaseId) return document;
    throw parameterError(`${field}: this bot has no such document`);
  };

  return {
    documents,
    async add(botId, request) {
      const { content, knowledgeBaseId = DEFAULT_KNOWLEDGE_BASE } = request;
      const { purpose } = content;
      const make = (name: string, pairs: readonly SimulatedQaPair[]) =>
        save({ docId: newId('doc'), botId, name, knowledgeBaseId, purpose, pairs });
      if (content.purpose === 'QA_TEXT') return { doc: [make(content.name, content.pairs)], failed: [] };
      return collect(content.files, async ({ name, url }) => {
        const pairs = readPairs(await fetchFile(url), purpose === 'QA_FILE', request);
        return () => make(name, pairs);
      });
    },
    async update(botId, request) {
      const { content, knowledgeBaseId } = request;
      if ('pairs' in content) {
        const document = find(botId, content.docId, knowledgeBaseId, 'doc_id');
        return { doc: [save({ ...document, pairs: content.pairs })], failed: [] };
      }
      const files = content.files.map(({ docId, name, url }, index) => ({
        document: find(botId, docId, knowledgeBaseId, `files[${index}].doc_id`),
        name,
        url,
      }));
      return collect(files, async ({ document, name, url }) => {
        const isCsv = document.purpose === 'QA_FILE' || name.toLowerCase().endsWith('.csv');
        const pairs = readPairs(await fetchFile(url), isCsv, request);
        return () => save({ ...document, name, pairs });
      });
    },
    answerTo(botId, question) {
      const wanted = normal(question);
      return documents(botId)
        .flatMap(({ pairs }) => pairs)
        .find((pair) => normal(pair.question) === wanted)?.answer;
    },
  };
}

const normal = (text: string) => text.trim().toLowerCase();

function readPairs(text: string, isCsv: boolean, request: FileProcessing): SimulatedQaPair[] {
  return isCsv ? readCsv(text, request.headerRow) : splitDocument(text, request);
}

/** Reads all files concurrently and keeps the valid ones in order. Failed files are reported by name. */
async function collect<File extends { name: string }>(
  files: readonly File[],
  read: (file: File) => Promise<() => DocumentResult>,
): Promise<DocumentsAnswer> {
  const outcomes = await Promise.allSettled(files.map(read));
  const doc = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value()] : []));
  const failed = files.filter((_, index) => outcomes[index]?.status === 'rejected').map(({ name }) => name);
  return { doc, failed };
}

/** Downloads a file as text, or throws the reason. */
type FetchFile = (url: string) => Promise<string>;

/** Creates the downloader: http and https only, up to `maxBytes`, within `timeoutMs` of real time. */
export function createFetchFile(options: {
  traffic: TrafficRecorder;
  signal: AbortSignal;
  maxBytes: number;
  timeoutMs: number;
}): FetchFile {
  const { traffic, maxBytes } = options;
  return async (url) => {
    if (!/^https?:/i.test(url)) throw new Error('only http and https URLs are fetched');
    const exchange = traffic.open({ direction: 'sent', what: 'file', method: 'GET', url, headers: {} });
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(options.timeoutMs), options.signal]);
      const response = await fetch(url, { signal });
      const bytes = await readBytes(response, maxBytes);
      exchange.answered(response.status, Object.fromEntries(response.headers), `${bytes.length} bytes`);
      if (!response.ok) throw new Error(`answered with status ${response.status}`);
      return decode(bytes);
    } catch (error) {
      exchange.failed(error instanceof Error ? error.message : 'failed');
      throw error;
    }
  };
}

async function readBytes(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? [];
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Only UTF-8 without NUL bytes counts as text: images and archives are refused. */
function decode(bytes: Uint8Array): string {
  if (bytes.includes(0)) throw new Error('not a text file');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
