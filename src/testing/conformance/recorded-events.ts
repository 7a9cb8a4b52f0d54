import type { Adapter, AdapterCall, InboundEvent, InboundRequest } from '../../bridge/index.js';
import { newSession } from './adapter-calls.js';
import { fail, NotApplicableError } from './check.js';
import type { CheckContext, WaitFor } from './check-context.js';
import type { WebhookSink } from './webhook-sink.js';

/** An event that an adapter reported, and the webhook it came from; `null` for polling and streams. */
interface RecordedEvent {
  readonly event: InboundEvent;
  readonly request: InboundRequest | null;
}

/** Records the events that an adapter reports. */
export interface EventRecorder {
  /** Waits for the first event that matches. */
  waitFor(what: string, matches: (recorded: RecordedEvent) => boolean): Promise<RecordedEvent>;
  stop(): Promise<void>;
}

/** Starts recording by webhook, polling and stream, whichever the adapter supports. */
export async function createEventRecorder(parts: {
  adapter: Adapter;
  webhookSink: WebhookSink;
  call: AdapterCall;
  waitFor: WaitFor;
}): Promise<EventRecorder> {
  const { adapter, webhookSink, waitFor } = parts;
  const stopped = new AbortController();
  const call = { ...parts.call, signal: stopped.signal };
  const recorded: RecordedEvent[] = [];
  let read = 0;
  let cursor: string | null = null;

  const streaming = adapter.stream?.(async (event) => {
    recorded.push({ event, request: null });
    return null;
  }, call);

  const readWebhooks = () => {
    if (!adapter.verify || !adapter.parse) return;
    for (const request of webhookSink.requests.slice(read)) {
      read += 1;
      const verdict = adapter.verify(request);
      if (verdict !== 'genuine') fail(`verify returned "${verdict}" for a request that the system sent.`);
      for (const event of adapter.parse(request).events) recorded.push({ event, request });
    }
  };

  const poll = async () => {
    if (!adapter.poll) return;
    const polled = await adapter.poll(cursor, call);
    cursor = polled.cursor;
    for (const event of polled.events) recorded.push({ event, request: null });
  };

  await poll();
  return {
    waitFor: (what, matches) =>
      waitFor(what, async () => {
        readWebhooks();
        await poll();
        return recorded.find(matches);
      }),
    async stop() {
      stopped.abort();
      // An aborted stream may reject.
      await streaming?.catch(() => {});
    },
  };
}

/** An adapter with webhooks. */
export type WebhookAdapter = Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;

/** Creates the adapter. Skips the check if the adapter has no webhooks. */
export async function createWebhookAdapter(context: CheckContext): Promise<WebhookAdapter> {
  const adapter = await context.createAdapter();
  const { inbound } = adapter.capabilities;
  if (hasWebhooks(adapter)) return adapter;
  throw new NotApplicableError(`the adapter receives events by ${inbound.join(' and ')}, not by webhook.`);
}

const hasWebhooks = (adapter: Adapter): adapter is WebhookAdapter =>
  adapter.capabilities.inbound.includes('webhook') &&
  adapter.verify !== undefined &&
  adapter.parse !== undefined;

/** Opens a conversation, lets an agent reply, and returns the webhook and the event of that reply. */
export async function recordAgentReply(
  context: CheckContext,
  text = 'Good morning, an agent speaking.',
): Promise<{ adapter: WebhookAdapter; request: InboundRequest; event: InboundEvent; externalId: string }> {
  const adapter = await createWebhookAdapter(context);
  const { externalId } = await adapter.open(newSession(), context.call);
  const recorder = await context.recordEvents(adapter);
  await context.system.agent.reply(externalId, text);
  const { request, event } = await recorder.waitFor(
    `verify and parse to return a message for the agent's reply to ${externalId}`,
    (recorded) => recorded.request !== null && isAgentReply(recorded.event, externalId, text),
  );
  if (!request) return fail('the reply did not arrive by webhook.');
  return { adapter, request, event, externalId };
}

/** Whether an event is a message of an agent to the user, with this text. */
export const isAgentReply = (event: InboundEvent, externalId: string, text: string): boolean =>
  event.kind === 'message' &&
  event.externalId === externalId &&
  event.text.trim() === text &&
  event.author.kind === 'agent' &&
  !event.internal;

/** Changed copies of a genuine request, which `verify` must refuse. */
export interface TamperedRequests {
  /** The last character of every custom header and of the query is changed. */
  readonly wrongSignature: readonly InboundRequest[];
  /** Custom headers and the query are removed. */
  readonly unsigned: readonly InboundRequest[];
  /** One character of the body is changed. */
  readonly changedBody: readonly InboundRequest[];
}

/** Headers of any HTTP client, which cannot be a signature. */
const STANDARD_HEADERS = new Set([
  'host',
  'connection',
  'content-type',
  'content-length',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
  'te',
  'keep-alive',
]);

/** Changes a request as a sender without the secret would. */
export function tamperWith(request: InboundRequest): TamperedRequests {
  const custom = Object.entries(request.headers).filter(([name]) => !STANDARD_HEADERS.has(name));
  const standard = Object.entries(request.headers).filter(([name]) => STANDARD_HEADERS.has(name));
  const [path = '/'] = request.url.split('?');
  const changedCustom = custom.map(([name, value]) => [name, changeEnd(value ?? '')]);
  return {
    wrongSignature: [
      {
        ...request,
        url: changeQuery(request.url),
        headers: Object.fromEntries([...standard, ...changedCustom]),
      },
    ],
    unsigned: [{ ...request, url: path, headers: Object.fromEntries(standard) }],
    changedBody: [{ ...request, body: changeMiddle(request.body) }],
  };
}

/** Changes the last character to another digit, which is valid in hex, Base64 and text. */
function changeEnd(value: string): string {
  return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
}

const changeQuery = (url: string): string => (url.includes('?') ? changeEnd(url) : url);

/** Changes a letter in the middle, so that JSON and form data stay parseable. */
function changeMiddle(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const middle = Math.floor(body.length / 2);
  const letter = changed.findIndex((byte, position) => position >= middle && isLetter(byte));
  const index = letter === -1 ? middle : letter;
  changed[index] = changed[index] === 0x78 ? 0x79 : 0x78;
  return changed;
}

const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
