import type { Adapter, InboundEvent, InboundRequest } from '../../bridge/index.js';
import { newSession } from './adapter-calls.js';
import type { CheckContext } from './check-context.js';
import { fail, NotApplicableError } from './failures.js';
import type { FullStack } from './full-stack.js';
import type { EventRecorder } from './recorded-events.js';

export type WebhookAdapter = Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;

/** Skips the check if the adapter has no webhooks. */
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
  text = 'Good morning, this is an agent.',
): Promise<{
  adapter: WebhookAdapter;
  request: InboundRequest;
  event: InboundEvent;
  externalId: string;
  recorder: EventRecorder;
}> {
  const adapter = await createWebhookAdapter(context);
  const { externalId } = await adapter.open(newSession(), context.call);
  const recorder = await context.recordEvents(adapter);
  await context.helpdesk.agent.reply(externalId, text);
  const { request, event } = await recorder.waitFor(
    `verify and parse to return a message for the agent's reply to ${externalId}`,
    (recorded) => recorded.request !== null && isAgentReply(recorded.event, externalId, text),
  );
  if (!request) return fail('the reply did not arrive by webhook.');
  return { adapter, request, event, externalId, recorder };
}

/** Whether an event is an agent's message to the user, with this text. */
export const isAgentReply = (event: InboundEvent, externalId: string, text: string): boolean =>
  event.kind === 'message' &&
  event.externalId === externalId &&
  event.text.trim() === text &&
  event.author.kind === 'agent' &&
  !event.internal;

export const REPLIES: readonly string[] = ['Reply 1 of 3.', 'Reply 2 of 3.', 'Reply 3 of 3.'];

/** An agent writes the {@link REPLIES}, and their webhooks reach the receiver in reverse. */
export async function replyInReverse(
  context: CheckContext,
  { forwarder }: FullStack,
  externalId: string,
): Promise<void> {
  const adapter = await createWebhookAdapter(context);
  await forwarder.idle();
  forwarder.pause();
  for (const text of REPLIES) await context.helpdesk.agent.reply(externalId, text);
  await context.waitFor('the webhooks of the replies', () => {
    const reported = context.webhookSink.requests.flatMap((request) => adapter.parse(request).events);
    return REPLIES.every((text) => reported.some((event) => isAgentReply(event, externalId, text)));
  });
  forwarder.resume('newest-first');
}

/** Changed copies of a genuine request, which `verify` must refuse. */
export interface TamperedRequests {
  /** The last character of every custom header and of the query is changed. */
  readonly wrongSignature: readonly InboundRequest[];
  /** Custom headers and the query are removed. */
  readonly unsigned: readonly InboundRequest[];
  /** One character of the body is changed. */
  readonly changedBody: readonly InboundRequest[];
  /** White space is added to the body, if it is JSON. */
  readonly changedWhiteSpace: readonly InboundRequest[];
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
    changedWhiteSpace: spacedJson(request.body).map((body) => ({ ...request, body })),
  };
}

/**
 * Requests with a shorter signature, down to an empty or a missing one. Whether a header or the query belongs to the
 * signature is seen from `isGenuine`, which then refuses another value.
 */
export function cutSignatures(
  request: InboundRequest,
  isGenuine: (changed: InboundRequest) => boolean,
): InboundRequest[] {
  const { url, headers } = request;
  const [path = '/', query = ''] = url.split('?');
  const custom = Object.entries(headers).filter(([name]) => !STANDARD_HEADERS.has(name));
  const places = [
    ...custom.map(([name, value = '']) => ({
      value,
      withValue: (changed: string | undefined) => ({ ...request, headers: { ...headers, [name]: changed } }),
    })),
    { value: query, withValue: (changed = '') => ({ ...request, url: `${path}?${changed}` }) },
  ];
  return places
    .filter(({ value, withValue }) => value !== '' && !isGenuine(withValue(changeEnd(value))))
    .flatMap(({ value, withValue }) => [...shorterThan(value), undefined].map(withValue));
}

/** Not one character shorter: the end of Base64 may be padding. */
const shorterThan = (value: string): string[] => [
  value.slice(0, -4),
  value.slice(0, Math.floor(value.length / 2)),
  // What is left of `sha256=…` and `secret=…`.
  /^\w+=/.exec(value)?.[0] ?? '',
  '',
];

/** The same JSON with other white space. */
function spacedJson(body: Buffer): Buffer[] {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return [1, 2].map((indent) => Buffer.from(JSON.stringify(parsed, null, indent)));
  } catch {
    return [];
  }
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
