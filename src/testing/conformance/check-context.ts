import type { Adapter, AdapterCall } from '../../bridge/index.js';
import { createLog } from '../../internal/create-log.js';
import type { Log } from '../../internal/index.js';
import { createWaitFor, type WaitFor } from './failures.js';
import { createFaultProxy, type FaultProxy } from './fault-proxy.js';
import type {
  AdapterFactory,
  AdapterHarness,
  FaultAnswer,
  HarnessFeature,
  HarnessHelpdesk,
} from './harness.js';
import { createEventRecorder, type EventRecorder } from './recorded-events.js';
import { createWebhookSink, type WebhookSink } from './webhook-sink.js';

/** The helpdesk's error answers. */
interface FaultAnswers {
  readonly unauthorized: FaultAnswer;
  readonly gone: FaultAnswer;
  readonly refused: FaultAnswer;
  readonly rateLimited: (retryAfterSeconds: number) => FaultAnswer;
  readonly unavailable: FaultAnswer;
}

/** The environment of one check. */
export interface CheckContext {
  /** The helpdesk that the harness has started. */
  readonly helpdesk: HarnessHelpdesk;
  /** The proxy between adapter and helpdesk. */
  readonly proxy: FaultProxy;
  /** Records the helpdesk's webhooks. */
  readonly webhookSink: WebhookSink;
  readonly recordedLog: RecordedLog;
  readonly faultAnswers: FaultAnswers;
  readonly secrets: readonly string[];
  readonly stepTimeoutMs: number;
  /** See {@link AdapterHarness.pageSize}. */
  readonly pageSize: number;
  /** See {@link AdapterHarness.live}. */
  readonly isLive: boolean;
  /** See {@link AdapterHarness.record}. */
  readonly recordTo: string | undefined;
  lacks(feature: HarnessFeature): boolean;
  /** Waits up to `stepTimeoutMs` for a condition. */
  readonly waitFor: WaitFor;
  /** The adapter is disposed of at the end of the check. */
  createAdapter(credentials?: 'right' | 'wrong'): Promise<Adapter>;
  /** The last argument of every adapter call. */
  readonly call: AdapterCall;
  /** Records the events that the adapter reports, without a bridge. */
  recordEvents(adapter: Adapter): Promise<EventRecorder>;
  /** Registers a cleanup. Cleanups run in reverse order. */
  onCleanup(act: () => Promise<unknown>): void;
  cleanUp(): Promise<void>;
}

/** One requirement on adapters. */
export interface ConformanceCheck {
  /** Stable; used by `unsupported` and `only`. */
  readonly id: string;
  /** The requirement as a sentence. */
  readonly title: string;
  /** The expected result, quoted in a failure. */
  readonly expected: string;
  /** How to fix a failure. */
  readonly advice: string;
  /** Features of the helpdesk that the check needs. */
  readonly needs?: readonly HarnessFeature[];
  /** Throws, usually with `fail`, if the requirement does not hold. */
  run(context: CheckContext): Promise<void>;
}

export async function createCheckContext<System extends HarnessHelpdesk>(
  adapterFactory: AdapterFactory<System>,
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
  const start = async <Part>(starting: Promise<Part>, stop: (part: Part) => Promise<unknown>) => {
    const part = await starting;
    cleanups.push(() => stop(part));
    return part;
  };

  try {
    const webhookSink = await start(createWebhookSink(harness.webhookPort), (sink) => sink.stop());
    const helpdesk = await start(harness.start({ webhookUrl: webhookSink.url }), (running) => running.stop());
    const proxy = await start(createFaultProxy(helpdesk.baseUrl), (running) => running.stop());
    return {
      helpdesk,
      proxy,
      webhookSink,
      recordedLog,
      faultAnswers: withDefaultAnswers(harness.faults),
      secrets: harness.secrets,
      stepTimeoutMs,
      pageSize: harness.pageSize ?? 25,
      isLive: harness.live ?? false,
      recordTo: harness.record,
      lacks: (feature) => harness.unsupported?.[feature] !== undefined,
      waitFor,
      call,
      async createAdapter(credentials = 'right') {
        const adapter = await adapterFactory({ baseUrl: proxy.url, credentials, helpdesk });
        cleanups.push(async () => adapter.dispose?.());
        return adapter;
      },
      recordEvents: (adapter) =>
        start(createEventRecorder({ adapter, webhookSink, call, waitFor }), (recorder) => recorder.stop()),
      onCleanup: (act) => void cleanups.push(act),
      cleanUp,
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

function withDefaultAnswers(faults: AdapterHarness['faults'] = {}): FaultAnswers {
  return {
    unauthorized: faults.unauthorized ?? { status: 401 },
    gone: faults.gone ?? { status: 404 },
    refused: faults.refused ?? { status: 422 },
    unavailable: faults.unavailable ?? { status: 503 },
    rateLimited:
      faults.rateLimited ?? ((seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } })),
  };
}

/** A logger that keeps its lines in memory. */
interface RecordedLog {
  readonly log: Log;
  readonly lines: readonly string[];
  /** Lines of level error. */
  errors(): readonly string[];
}

const ERROR_LEVEL = /"level":[5-6]0\b/;

/** Logs every level, with production's redaction. */
function createRecordedLog(): RecordedLog {
  const lines: string[] = [];
  return {
    log: createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } }),
    lines,
    errors: () => lines.filter((line) => ERROR_LEVEL.test(line)),
  };
}
