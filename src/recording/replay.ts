import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJsonOrText } from '../internal/index.js';
import { type CallDifference, compareCalls } from './compare-calls.js';
import {
  conversationOf,
  RECEIVER_ENDPOINTS,
  type ReceiverEndpoint,
  type RecordedLine,
  type Recording,
} from './format.js';
import { comparable, createMasker, idsIn, RECORDED_WORDS, replaceIds } from './masking.js';
import type { PlatformAnswer, ReplayPlatform } from './replay-platform.js';
import { createSecrets } from './secrets.js';

export { parseRecording, type ReceiverEndpoint, type Recording } from './format.js';
export { type ReplayPlatform, startReplayPlatform } from './replay-platform.js';

/** A reply or close of a recording that an agent wrote. */
export interface AgentCall {
  /** The conversation's id in this replay. */
  readonly conversationId: string;
  readonly endpoint: 'reply' | 'close';
  /** The text of a reply, as it was recorded; empty for a close. */
  readonly text: string;
}

/** A way in which a replay differs from its recording. */
export interface ReplayDifference {
  /** The conversation's id in the recording. */
  readonly conversation: string;
  /**
   * `status` and `answer`: what the receiver answered. The others are calls of the platform: `missing`, `extra`,
   * `changed`, or `order` if it came before or after another.
   */
  readonly kind: 'status' | 'answer' | CallDifference['kind'];
  /** The endpoint of the request. */
  readonly endpoint: string;
  /** The number `n` of the request in the recording; `null` for a call of the platform. */
  readonly n: number | null;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** The result of a replay. */
export interface ReplayReport {
  readonly conversations: number;
  /** Requests that were sent to the receiver. */
  readonly sent: number;
  /** Replies and closes that the recording has. */
  readonly replies: number;
  /** Requests that cannot be sent again: refused for their credentials, unreadable, or left out of the recording. */
  readonly skipped: number;
  /** Empty if the receiver did the same. */
  readonly differences: readonly ReplayDifference[];
}

export interface ReplayRun {
  readonly recording: Recording;
  readonly platform: ReplayPlatform;
  /** Sends a request to the receiver. It never rejects. */
  readonly send: (
    endpoint: ReceiverEndpoint,
    body: object,
  ) => Promise<{ status: number | null; text: string }>;
  /** How much faster than the recording; `Infinity` waits for answers and replies only. */
  readonly speed: number;
  /** How long to wait for each reply. */
  readonly timeoutMs: number;
  /** How long to wait for replies that the recording does not have. */
  readonly settleMs: number;
  /** Credentials that the report must not show. */
  readonly secrets: readonly string[];
  /** Does what agents did; `false` if the receiver replies by itself. Without it, the receiver must. */
  readonly agent?: ((call: AgentCall) => unknown) | undefined;
}

/** At full speed, so many conversations at once. */
const MAX_CONVERSATIONS = 50;

const SUCCESS = { code: 200, message: 'success' };

const isCall = ({ to, endpoint, body }: RecordedLine): boolean =>
  to === 'platform' && (endpoint === 'reply' || endpoint === 'close') && conversationOf(body) !== null;

/** With our own credentials, a request that was refused for its own would be accepted. */
const canBeSent = ({ endpoint, body, status, withheld }: RecordedLine): boolean =>
  withheld !== true &&
  status !== 401 &&
  status !== 403 &&
  RECEIVER_ENDPOINTS.some((known) => known === endpoint) &&
  typeof body === 'object' &&
  body !== null;

/** Sends the requests of a recording again, plays the platform's side, and compares. */
export async function replayRecording(run: ReplayRun): Promise<ReplayReport> {
  const { recording, platform, send, speed, timeoutMs, settleMs, agent } = run;
  const { exchanges, isMasked } = recording;
  const secrets = createSecrets(RECORDED_WORDS);
  secrets.add(run.secrets);
  const masker = createMasker({ keepContent: !isMasked, secrets });
  const ids = createNewIds(exchanges);
  for (const [id, recorded] of ids.recorded) masker.name(id, recorded);

  /** What came, in the form of the recording. */
  const asRecorded = (value: unknown): unknown => {
    try {
      return comparable(masker.mask(value));
    } catch {
      return '(not shown: it contains a credential)';
    }
  };

  const differences: ReplayDifference[] = [];
  const byConversation = groupByConversation(exchanges);
  const calls = createCalls(exchanges, ids);
  platform.answerWith((endpoint, body) => calls.answer(endpoint, body));
  let sent = 0;
  let skipped = 0;
  const startedAt = performance.now();
  const firstAt = exchanges[0]?.at ?? 0;
  const untilDue = async (at: number): Promise<void> => {
    const wait = startedAt + (at - firstAt) / speed - performance.now();
    if (wait > 0) await sleep(wait);
  };

  const deliver = async (conversation: string, line: RecordedLine): Promise<void> => {
    const { n, endpoint } = line;
    sent += 1;
    const { status, text } = await send(endpoint as ReceiverEndpoint, ids.renew(line.body) as object);
    const place = { conversation, endpoint, n };
    if (status !== line.status) {
      differences.push({ ...place, kind: 'status', recorded: line.status, now: status });
      return;
    }
    const recorded = comparable(line.answer ?? '');
    const now = asRecorded(parseJsonOrText(text));
    if (!isSame(recorded, now)) differences.push({ ...place, kind: 'answer', recorded, now });
  };

  const play = async (conversation: string, lines: readonly RecordedLine[]): Promise<void> => {
    let expected = 0;
    // After one reply that did not come, the others are not waited for: each would take as long.
    let isWaiting = true;
    const replied = async (count: number): Promise<void> => {
      if (isWaiting) isWaiting = await calls.until(conversation, count, timeoutMs);
    };
    for (const line of lines) {
      if (line.to === 'platform') {
        await replied(expected);
        expected += 1;
        await agent?.(ids.agentCall(conversation, line));
      } else if (canBeSent(line)) {
        await replied(expected);
        await untilDue(line.at);
        await deliver(conversation, line);
      } else skipped += 1;
    }
    await replied(expected);
  };

  const waiting = [...byConversation];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await play(...next);
  };
  const atOnce = Number.isFinite(speed) ? waiting.length : MAX_CONVERSATIONS;
  await Promise.all(Array.from({ length: atOnce }, work));
  await sleep(settleMs);

  const compared = calls.compare(asRecorded);
  return {
    conversations: byConversation.size,
    sent,
    replies: exchanges.filter(isCall).length,
    skipped,
    differences: [...differences, ...compared].sort((one, other) =>
      one.conversation.localeCompare(other.conversation, 'en', { numeric: true }),
    ),
  };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Requests to the receiver, and replies and closes, by conversation. */
function groupByConversation(exchanges: readonly RecordedLine[]): Map<string, RecordedLine[]> {
  const groups = new Map<string, RecordedLine[]>();
  for (const line of exchanges) {
    if (line.to === 'platform' && !isCall(line)) continue;
    const conversation = conversationOf(line.body) ?? '(none)';
    groups.set(conversation, [...(groups.get(conversation) ?? []), line]);
  }
  return groups;
}

interface NewIds {
  /** Each id of this replay, with the one in the recording. */
  readonly recorded: ReadonlyMap<string, string>;
  /** Replaces the ids of a recorded value. */
  renew(value: unknown): unknown;
  agentCall(conversation: string, line: RecordedLine): AgentCall;
}

/** Conversations and messages get new ids, or a receiver would take them for repeats of an earlier replay. */
function createNewIds(exchanges: readonly RecordedLine[]): NewIds {
  const suffix = randomBytes(4).toString('hex');
  const renewed = new Map<string, string>();
  const recorded = new Map<string, string>();
  for (const { body, answer } of exchanges) {
    for (const [field, id] of [...idsIn(body), ...idsIn(answer)]) {
      if (field === 'conversation_id' || field === 'message_id') {
        renewed.set(id, `${id}-${suffix}`);
        recorded.set(`${id}-${suffix}`, id);
      } else if (!recorded.has(id)) recorded.set(id, id);
    }
  }
  const renew = (value: unknown, field = ''): unknown => {
    if (Array.isArray(value)) return value.map((each) => renew(each, field));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, renew(each, name)]));
    }
    if (field === 'conversation_id' || field === 'message_id') return renewed.get(String(value)) ?? value;
    return typeof value === 'string' ? replaceIds(value, renewed, (rest) => rest) : value;
  };
  return {
    recorded,
    renew: (value) => renew(value),
    agentCall(conversation, { endpoint, body }) {
      const text = typeof body === 'object' && body !== null && 'body' in body ? renew(body.body) : '';
      return {
        conversationId: renewed.get(conversation) ?? conversation,
        endpoint: endpoint === 'close' ? 'close' : 'reply',
        text: typeof text === 'string' ? text : '',
      };
    },
  };
}

/** The calls that reach the platform, and those of the recording. */
function createCalls(exchanges: readonly RecordedLine[], ids: NewIds) {
  const expected = new Map<string, RecordedLine[]>();
  const others = new Map<string, RecordedLine[]>();
  for (const line of exchanges) {
    if (line.to !== 'platform') continue;
    const [group, key] = isCall(line) ? [expected, conversationOf(line.body) ?? ''] : [others, line.endpoint];
    group.set(key, [...(group.get(key) ?? []), line]);
  }
  const came = new Map<string, { readonly endpoint: string; readonly body: unknown }[]>();
  const waiters = new Set<() => void>();

  const answerOf = (line: RecordedLine | undefined, body: unknown): PlatformAnswer | null => {
    if (!line) {
      const id = conversationOf(body);
      return {
        status: 200,
        answer: { ...SUCCESS, ...(id && { conversation_id: id, timestamp: Date.now() }) },
      };
    }
    if (line.status === null) return null;
    return { status: line.status, answer: line.withheld ? SUCCESS : ids.renew(line.answer) };
  };

  return {
    answer(endpoint: string, body: unknown): PlatformAnswer | null {
      const id = conversationOf(body);
      if (id === null || (endpoint !== 'reply' && endpoint !== 'close')) {
        const answers = others.get(endpoint);
        // The last one is repeated, such as that of health probes.
        return answerOf(answers && answers.length > 1 ? answers.shift() : answers?.[0], body);
      }
      const conversation = ids.recorded.get(id) ?? id;
      const list = came.get(conversation) ?? [];
      came.set(conversation, [...list, { endpoint, body }]);
      for (const wake of waiters) wake();
      const line = expected.get(conversation)?.[list.length];
      return answerOf(line?.endpoint === endpoint ? line : undefined, body);
    },
    /** Waits for so many calls of a conversation. Resolves to `false` if they do not come. */
    until: (conversation: string, count: number, timeoutMs: number): Promise<boolean> =>
      new Promise((resolve) => {
        const finish = (isDone: boolean): void => {
          clearTimeout(timer);
          waiters.delete(check);
          resolve(isDone);
        };
        const check = (): void => {
          if ((came.get(conversation)?.length ?? 0) >= count) finish(true);
        };
        const timer = setTimeout(() => finish(false), timeoutMs);
        waiters.add(check);
        check();
      }),
    compare: (asRecorded: (value: unknown) => unknown): ReplayDifference[] =>
      [...new Set([...expected.keys(), ...came.keys()])].flatMap((conversation) => {
        const before = (expected.get(conversation) ?? []).map(({ endpoint, body }) => ({
          endpoint,
          body: comparable(body),
        }));
        const now = (came.get(conversation) ?? []).map(({ endpoint, body }) => ({
          endpoint,
          body: asRecorded(body),
        }));
        return compareCalls(before, now).map((difference) => ({ ...difference, conversation, n: null }));
      }),
  };
}
