import { HandoffKitError } from '../internal/index.js';
import { HANDOFF_PATHS, PLATFORM_PATHS } from '../protocol/index.js';

/** The version of the format. A reader refuses any other. */
export const RECORDING_VERSION = 1;

/** One request and its answer: any other line. */
export interface RecordedLine {
  /** Counts requests in the order in which they began; lines are in the order in which they ended. */
  readonly n: number;
  /** When the request began, in milliseconds since the recording did. */
  readonly at: number;
  /** How long the answer took, in milliseconds. */
  readonly ms: number;
  /** The side that got the request. */
  readonly to: 'receiver' | 'platform';
  /** `message`, `establish`, `chat`, `close`, `handoff` (the base URL), or a name of the platform's API. */
  readonly endpoint: string;
  readonly body: unknown;
  /** `null` if there was no answer. */
  readonly status: number | null;
  readonly answer: unknown;
  /** `true` if body and answer were left out: too large, or not safe to write. */
  readonly withheld?: true;
}

/** The endpoints that a receiver has. */
export type ReceiverEndpoint = 'message' | 'establish' | 'chat' | 'close' | 'handoff';

export const RECEIVER_ENDPOINTS: readonly ReceiverEndpoint[] = [
  'message',
  'establish',
  'chat',
  'close',
  'handoff',
];

/** The name of an endpoint of the platform; `null` for any other path. Its base URL may have a path, too. */
export function platformEndpointOf(path: string): string | null {
  return Object.entries(PLATFORM_PATHS).find(([, each]) => path.endsWith(each))?.[0] ?? null;
}

/** The endpoint of a path below a receiver's URL, and what stands before it: the token, if there is one. */
export function receiverEndpointOf(
  base: string,
  path: string,
): { readonly endpoint: ReceiverEndpoint; readonly tokens: readonly string[] } | null {
  const mount = base.replace(/\/+$/, '');
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  if (plain !== mount && !plain.startsWith(`${mount}/`)) return null;
  const below = plain.slice(mount.length);
  if (below === '') return { endpoint: 'message', tokens: [] };
  for (const endpoint of ['establish', 'chat', 'close'] as const) {
    if (!below.endsWith(HANDOFF_PATHS[endpoint])) continue;
    const before = below.slice(0, -HANDOFF_PATHS[endpoint].length);
    return { endpoint, tokens: before.split('/').slice(1) };
  }
  const [, token = '', ...more] = below.split('/');
  return more.length === 0 ? { endpoint: 'handoff', tokens: [token] } : null;
}

/** The conversation of an exchange; `null` if it has none. */
export function conversationOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('conversation_id' in body)) return null;
  const { conversation_id: id } = body;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

/** A recording that was read. */
export interface Recording {
  readonly isMasked: boolean;
  /** In the order in which the requests began. */
  readonly exchanges: readonly RecordedLine[];
}

/**
 * Reads a recording. Parts that later starts have appended follow one another, and have conversations of their own. A
 * last line without its end is left out: the process was killed while it wrote.
 */
export function parseRecording(text: string): Recording {
  const lines = text.split('\n');
  lines.pop();
  const exchanges: RecordedLine[] = [];
  let isMasked = false;
  let part = 0;
  let offset = { n: 0, at: 0 };
  lines.forEach((line, index) => {
    const value = readLine(line, index + 1);
    if ('recording' in value) {
      if (value.recording !== RECORDING_VERSION) {
        throw invalid(
          `has version ${JSON.stringify(value.recording)} of the format; this version of handoff-kit reads ${RECORDING_VERSION}. Record it anew.`,
        );
      }
      isMasked ||= !('content' in value && value.content === 'kept');
      part += 1;
      offset = {
        n: Math.max(0, ...exchanges.map(({ n }) => n)),
        at: Math.max(0, ...exchanges.map(({ at, ms }) => at + ms)),
      };
      return;
    }
    if (part === 0) throw invalid('does not begin with {"recording":1,…}. Is it a recording of handoff-kit?');
    if (!isLine(value)) throw invalid(`has an invalid line ${index + 1}.`);
    const { body, answer } = part === 1 ? value : withPart(value, part);
    exchanges.push({ ...value, body, answer, n: value.n + offset.n, at: value.at + offset.at });
  });
  if (part === 0) throw invalid('is empty.');
  return { isMasked, exchanges: exchanges.toSorted((one, other) => one.n - other.n) };
}

/** Pseudonyms begin anew with each part. */
function withPart({ body, answer }: RecordedLine, part: number): Pick<RecordedLine, 'body' | 'answer'> {
  const conversation = conversationOf(body);
  if (conversation === null) return { body, answer };
  return { body: { ...(body as object), conversation_id: `${conversation}-part-${part}` }, answer };
}

const invalid = (problem: string): HandoffKitError =>
  new HandoffKitError('RECORDING_INVALID', `the recording ${problem}`);

function readLine(line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below, like any other value.
  }
  throw invalid(`has an invalid line ${number}: each line must be a JSON object.`);
}

const isLine = (value: object): value is RecordedLine =>
  'n' in value &&
  'at' in value &&
  'ms' in value &&
  'to' in value &&
  'endpoint' in value &&
  [value.n, value.at, value.ms].every((each) => typeof each === 'number') &&
  (value.to === 'receiver' || value.to === 'platform') &&
  typeof value.endpoint === 'string';
