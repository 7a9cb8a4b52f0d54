import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  type ConversationRef,
  type HandoffSession,
  type OpenedConversation,
  type OutgoingMessage,
} from '../../bridge/index.js';
import { createLog, type Log } from '../../internal/index.js';
import { describeError, fail } from './check.js';
import { createFaultProxy, type FaultProxy } from './fault-proxy.js';
import type {
  AdapterFactory,
  AdapterHarness,
  FaultAnswer,
  HarnessFeature,
  HarnessSystem,
} from './harness.js';
import { createEventRecorder, type EventRecorder } from './recorded-events.js';
import { createWebhookSink, type WebhookSink } from './webhook-sink.js';

/** How the system refuses. */
export interface FaultAnswers {
  readonly unauthorized: FaultAnswer;
  readonly rateLimited: (retryAfterSeconds: number) => FaultAnswer;
  readonly unavailable: FaultAnswer;
}

/** Everything that one check works with: made for it, and ended with it. */
export interface CheckContext {
  readonly system: HarnessSystem;
  readonly proxy: FaultProxy;
  readonly webhookSink: WebhookSink;
  readonly recordedLog: RecordedLog;
  readonly faultAnswers: FaultAnswers;
  readonly secrets: readonly string[];
  readonly stepTimeoutMs: number;
  /** Whether the harness says that the system lacks a piece. */
  lacks(piece: HarnessFeature): boolean;
  readonly waitFor: WaitFor;
  /** Makes an instance of the adapter. */
  createAdapter(credentials?: 'right' | 'wrong'): Promise<Adapter>;
  /** What calls to an adapter come with. */
  readonly call: AdapterCall;
  /** Hears what the adapter makes of what the system tells, without a bridge. */
  recordEvents(adapter: Adapter): Promise<EventRecorder>;
  /** Has something done when the context cleanups; the last first. */
  onCleanup(act: () => Promise<unknown>): void;
  cleanUp(): Promise<void>;
}

/** Sets up everything that a check works with. */
export async function createCheckContext<System extends HarnessSystem>(
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<CheckContext> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stopped = new AbortController();
  const stepTimeoutMs = harness.stepTimeoutMs ?? 5_000;
  const waitFor = createWaitFor(stepTimeoutMs);
  const recordedLog = createRecordedLog();
  const call = { signal: stopped.signal, log: recordedLog.log };

  const cleanUp = async () => {
    stopped.abort();
    for (const act of cleanups.splice(0).toReversed()) await act();
  };
  const started = async <Part>(starting: Promise<Part>, stop: (part: Part) => Promise<unknown>) => {
    const part = await starting;
    cleanups.push(() => stop(part));
    return part;
  };

  try {
    const webhookSink = await started(createWebhookSink(harness.webhookPort), (box) => box.stop());
    const system = await started(harness.start({ webhookUrl: webhookSink.url }), (running) => running.stop());
    const proxy = await started(createFaultProxy(system.baseUrl), (running) => running.stop());
    return {
      system,
      proxy,
      webhookSink,
      recordedLog,
      faultAnswers: refusalsOf(harness.faults),
      secrets: harness.secrets,
      stepTimeoutMs,
      lacks: (piece) => harness.unsupported?.[piece] !== undefined,
      waitFor,
      call,
      async createAdapter(credentials = 'right') {
        const adapter = await make({ baseUrl: proxy.url, credentials, system });
        cleanups.push(async () => adapter.dispose?.());
        return adapter;
      },
      recordEvents: (adapter) =>
        started(createEventRecorder({ adapter, webhookSink, call, waitFor }), (recorder) => recorder.stop()),
      onCleanup: (act) => void cleanups.push(act),
      cleanUp,
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

function refusalsOf(faults: AdapterHarness['faults'] = {}): FaultAnswers {
  return {
    unauthorized: faults.unauthorized ?? { status: 401 },
    unavailable: faults.unavailable ?? { status: 503 },
    rateLimited:
      faults.rateLimited ?? ((seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } })),
  };
}

/** A conversation that nobody has opened yet, of a user of its own. */
export function newSession(): HandoffSession & { readonly question: string } {
  const id = randomUUID();
  const question = `Where is parcel ${id.slice(0, 8)}?`;
  return {
    key: `kit-${id}`,
    conversationId: `handoff-${id}`,
    user: {
      key: `user:${id}`,
      userId: id,
      anonymousId: `anonymous-${id}`,
      email: 'support@example.com',
      phone: null,
    },
    botId: 'kit-agent',
    transcript: [
      { from: 'user', text: question },
      { from: 'agent', text: '' },
      { from: 'agent', text: 'A human will know.' },
    ],
    requestedAt: new Date(),
    replyBy: new Date(Date.now() + 60_000),
    question,
  };
}

/** What `send` and `close` get for an opened session. */
export function refOf({ conversationId, user }: HandoffSession, opened: OpenedConversation): ConversationRef {
  const { externalId, url = null, extra = {} } = opened;
  return { conversationId, externalId, url, extra, user };
}

/** Something that a user says. */
export const newMessage = (text: string): OutgoingMessage => ({
  key: `kit-${randomUUID()}`,
  text,
  sentAt: new Date(),
});

/** The error that a call of an adapter cleanups with; `null` when it succeeds. Anything but an AdapterError is a finding. */
export async function adapterErrorOf(what: string, task: Promise<unknown>): Promise<AdapterError | null> {
  try {
    await task;
    return null;
  } catch (error) {
    if (error instanceof AdapterError) return error;
    return fail(`${what} failed with something that is no AdapterError: ${describeError(error)}`, error);
  }
}

/** What `check` says. A failure of it is a result that is not ok, as it is for the bridge. */
export async function runAdapterCheck(
  adapter: Adapter,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  try {
    return await adapter.check(call);
  } catch (error) {
    if (!(error instanceof AdapterError)) return fail(`check failed with ${describeError(error)}`, error);
    return [{ name: 'check', ok: false, detail: error.message }];
  }
}

/** Waits for something; `what` completes the sentence "waited for …", and is asked for only if it did not come. */
export type WaitFor = <Value>(
  what: string | (() => string),
  look: () => Promise<Value | null | undefined | false> | Value | null | undefined | false,
) => Promise<Value>;

const LOOK_EVERY_MS = 15;

/** Makes a way to wait for what should happen, for at most so long. */
export function createWaitFor(stepTimeoutMs: number): WaitFor {
  return async (what, look) => {
    const deadline = performance.now() + stepTimeoutMs;
    for (;;) {
      const value = await look();
      if (value !== null && value !== undefined && value !== false) return value;
      if (performance.now() > deadline) {
        const missed = typeof what === 'string' ? what : what();
        fail(`waited ${stepTimeoutMs} ms for ${missed}, and it did not happen.`);
      }
      await sleep(LOOK_EVERY_MS);
    }
  };
}

/** A log of the usual kind whose lines are kept. */
export interface RecordedLog {
  readonly log: Log;
  /** The lines, as they would be written. */
  readonly lines: readonly string[];
  /** The lines of level error. */
  errors(): readonly string[];
}

const ERROR_LEVEL = /"level":[5-6]0\b/;

/** Makes a log that keeps what it writes, at every level, with the redaction that production has. */
export function createRecordedLog(): RecordedLog {
  const lines: string[] = [];
  return {
    log: createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } }),
    lines,
    errors: () => lines.filter((line) => ERROR_LEVEL.test(line)),
  };
}
