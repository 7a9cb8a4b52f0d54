import { randomUUID } from 'node:crypto';
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
import { createEar, type Ear } from './ear.js';
import { found, saying } from './failure.js';
import { createFaultProxy, type FaultProxy } from './fault-proxy.js';
import type {
  AdapterFactory,
  AdapterHarness,
  FaultAnswer,
  HarnessFeature,
  HarnessSystem,
} from './harness.js';
import { createMailbox, type Mailbox } from './mailbox.js';
import { createRecordedLog, type RecordedLog } from './recorded-log.js';
import { createUntil, type Until } from './until.js';

/** How the system refuses. */
export interface Refusals {
  readonly unauthorized: FaultAnswer;
  readonly rateLimited: (retryAfterSeconds: number) => FaultAnswer;
  readonly unavailable: FaultAnswer;
}

/** Everything that one check works with: made for it, and ended with it. */
export interface Rig {
  readonly system: HarnessSystem;
  readonly proxy: FaultProxy;
  readonly mailbox: Mailbox;
  readonly recorded: RecordedLog;
  readonly refusals: Refusals;
  readonly secrets: readonly string[];
  readonly patienceMs: number;
  /** Whether the harness says that the system lacks a piece. */
  lacks(piece: HarnessFeature): boolean;
  readonly until: Until;
  /** Makes an instance of the adapter. */
  make(credentials?: 'right' | 'wrong'): Promise<Adapter>;
  /** What calls to an adapter come with. */
  readonly call: AdapterCall;
  /** Hears what the adapter makes of what the system tells, without a bridge. */
  listen(adapter: Adapter): Promise<Ear>;
  /** Has something done when the rig ends; the last first. */
  atEnd(act: () => Promise<unknown>): void;
  end(): Promise<void>;
}

/** Sets up everything that a check works with. */
export async function createRig<System extends HarnessSystem>(
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<Rig> {
  const ends: (() => Promise<unknown>)[] = [];
  const over = new AbortController();
  const patienceMs = harness.stepTimeoutMs ?? 5_000;
  const until = createUntil(patienceMs);
  const recorded = createRecordedLog();
  const call = { signal: over.signal, log: recorded.log };

  const end = async () => {
    over.abort();
    for (const act of ends.splice(0).toReversed()) await act();
  };
  const started = async <Part>(starting: Promise<Part>, stop: (part: Part) => Promise<unknown>) => {
    const part = await starting;
    ends.push(() => stop(part));
    return part;
  };

  try {
    const mailbox = await started(createMailbox(harness.webhookPort), (box) => box.stop());
    const system = await started(harness.start({ webhookUrl: mailbox.url }), (running) => running.stop());
    const proxy = await started(createFaultProxy(system.baseUrl), (running) => running.stop());
    return {
      system,
      proxy,
      mailbox,
      recorded,
      refusals: refusalsOf(harness.faults),
      secrets: harness.secrets,
      patienceMs,
      lacks: (piece) => harness.unsupported?.[piece] !== undefined,
      until,
      call,
      async make(credentials = 'right') {
        const adapter = await make({ baseUrl: proxy.url, credentials, system });
        ends.push(async () => adapter.dispose?.());
        return adapter;
      },
      listen: (adapter) => started(createEar({ adapter, mailbox, call, until }), (ear) => ear.stop()),
      atEnd: (act) => void ends.push(act),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function refusalsOf(faults: AdapterHarness['faults'] = {}): Refusals {
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

/** The error that a call of an adapter ends with; `null` when it succeeds. Anything but an AdapterError is a finding. */
export async function errorOf(what: string, task: Promise<unknown>): Promise<AdapterError | null> {
  try {
    await task;
    return null;
  } catch (error) {
    if (error instanceof AdapterError) return error;
    return found(`${what} failed with something that is no AdapterError: ${saying(error)}`, error);
  }
}

/** What `check` says. A failure of it is a result that is not ok, as it is for the bridge. */
export async function checkResults(
  adapter: Adapter,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  try {
    return await adapter.check(call);
  } catch (error) {
    if (!(error instanceof AdapterError)) return found(`check failed with ${saying(error)}`, error);
    return [{ name: 'check', ok: false, detail: error.message }];
  }
}
