import type { Adapter, AdapterCall, InboundEvent, InboundRequest } from '../../bridge/index.js';
import { fail, NotApplicableError } from './check.js';
import { type CheckContext, newSession, type WaitFor } from './check-context.js';
import type { WebhookSink } from './webhook-sink.js';

/** Something that an adapter told of, and the request that it read it from; `null` when none was. */
export interface RecordedEvent {
  readonly event: InboundEvent;
  readonly request: InboundRequest | null;
}

/** Hears what an adapter makes of what its system tells. */
export interface EventRecorder {
  /** The first event that fits. */
  waitFor(what: string, fits: (recorded: RecordedEvent) => boolean): Promise<RecordedEvent>;
  stop(): Promise<void>;
}

/** Listens in every way that the adapter has, to what happens from now on. */
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
      if (verdict !== 'genuine') fail(`verify says "${verdict}" of a request that the system sent itself.`);
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
    waitFor: (what, fits) =>
      waitFor(what, async () => {
        readWebhooks();
        await poll();
        return recorded.find(fits);
      }),
    async stop() {
      stopped.abort();
      // How a stream ends once nobody listens is no finding.
      await streaming?.catch(() => {});
    },
  };
}

/** An adapter with webhooks. */
export type WebhookAdapter = Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;

/** Makes the adapter, and says so when it has no webhooks. */
export async function createWebhookAdapter(context: CheckContext): Promise<WebhookAdapter> {
  const adapter = await context.createAdapter();
  const { inbound } = adapter.capabilities;
  if (isHooked(adapter)) return adapter;
  throw new NotApplicableError(`its agents' words come by ${inbound.join(' and ')}, not by webhook.`);
}

const isHooked = (adapter: Adapter): adapter is WebhookAdapter =>
  adapter.capabilities.inbound.includes('webhook') &&
  adapter.verify !== undefined &&
  adapter.parse !== undefined;

/** The request by which the system tells of an agent's reply to a new conversation, and what is read from it. */
export async function recordAgentReply(
  context: CheckContext,
  text = 'Good morning, an agent speaking.',
): Promise<{ adapter: WebhookAdapter; request: InboundRequest; event: InboundEvent; externalId: string }> {
  const adapter = await createWebhookAdapter(context);
  const { externalId } = await adapter.open(newSession(), context.call);
  const recorder = await context.recordEvents(adapter);
  await context.system.agent.reply(externalId, text);
  const { request, event } = await recorder.waitFor(
    `verify and parse to make a message of the agent's reply to ${externalId}`,
    (heard) => heard.request !== null && isAgentReply(heard.event, externalId, text),
  );
  if (!request) return fail('the reply came by another way than a webhook.');
  return { adapter, request, event, externalId };
}

/** Whether an event is a message to the user that an agent wrote in a conversation. */
export const isAgentReply = (event: InboundEvent, externalId: string, text: string): boolean =>
  event.kind === 'message' &&
  event.externalId === externalId &&
  event.text.trim() === text &&
  event.author.kind === 'agent' &&
  !event.internal;

/** A genuine request in ways that make it another. */
export interface TamperedRequests {
  /** Everything that the sender itself put in is a little different, but the body. */
  readonly wrongSignature: readonly InboundRequest[];
  /** Nothing but the body is left. */
  readonly unsigned: readonly InboundRequest[];
  /** One character of the body is different. */
  readonly changedBody: readonly InboundRequest[];
}

/** What any HTTP client sends: none of it can be a signature. */
const ORDINARY = new Set([
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

/** Changes a request as somebody would who does not know its secret. */
export function tamperWith(request: InboundRequest): TamperedRequests {
  const own = Object.entries(request.headers).filter(([name]) => !ORDINARY.has(name));
  const ordinary = Object.entries(request.headers).filter(([name]) => ORDINARY.has(name));
  const [path = '/'] = request.url.split('?');
  const changedOwn = own.map(([name, value]) => [name, otherEnd(value ?? '')]);
  return {
    wrongSignature: [
      { ...request, url: otherQuery(request.url), headers: Object.fromEntries([...ordinary, ...changedOwn]) },
    ],
    unsigned: [{ ...request, url: path, headers: Object.fromEntries(ordinary) }],
    changedBody: [{ ...request, body: otherText(request.body) }],
  };
}

/** The same with another last character, of a kind that the place allows: signatures are digits and letters. */
function otherEnd(value: string): string {
  return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
}

const otherQuery = (url: string): string => (url.includes('?') ? otherEnd(url) : url);

/** Another character in the middle, one that leaves JSON and forms readable. */
function otherText(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const middle = Math.floor(body.length / 2);
  const at = changed.findIndex((byte, index) => index >= middle && isLetter(byte));
  const place = at === -1 ? middle : at;
  changed[place] = changed[place] === 0x78 ? 0x79 : 0x78;
  return changed;
}

const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
