import { createHmac } from 'node:crypto';
import {
  type Adapter,
  type AdapterCapabilities,
  AdapterError,
  type CloseReason,
  defineAdapter,
  type HandoffSession,
  type InboundEvent,
  type OpenedConversation,
  type OutgoingMessage,
  verifySignature,
} from '../../src/adapter.js';

/** What signs the desk's webhooks. */
export const DESK_SECRET = 'S3cret-of-the-desk';

/** A conversation at the desk. */
export interface Ticket {
  readonly id: string;
  readonly key: string;
  readonly session: HandoffSession;
  readonly messages: OutgoingMessage[];
  readonly closes: CloseReason[];
}

/** What an adapter calls. */
type Verb = 'open' | 'find' | 'send' | 'close' | 'poll';

/** What the desk does with a call: `apply` gives it its effect; `nth` counts calls of that verb from 1. */
export type Conduct = (apply: () => unknown, nth: number) => unknown;

/** A desk in memory whose conduct a test changes as it goes. */
export function fakeDesk() {
  const tickets: Ticket[] = [];
  const calls: { verb: Verb; nth: number }[] = [];
  const events: InboundEvent[] = [];
  const counts = new Map<Verb, number>();
  let conducts: Partial<Record<Verb, Conduct>> = {};
  let disposed = 0;

  const find = (id: string): Ticket => {
    const ticket = tickets.find((each) => each.id === id);
    if (!ticket) throw new AdapterError('gone', 'the desk has no such ticket.');
    return ticket;
  };
  const called = async <Result>(verb: Verb, apply: () => Result): Promise<Result> => {
    const nth = (counts.get(verb) ?? 0) + 1;
    counts.set(verb, nth);
    calls.push({ verb, nth });
    const conduct = conducts[verb];
    return (conduct ? await conduct(apply, nth) : apply()) as Result;
  };
  const opened = ({ id }: Ticket): OpenedConversation => ({
    externalId: id,
    url: `https://desk.example/${id}`,
  });

  const adapter = (capabilities: Partial<AdapterCapabilities> = {}, more: Partial<Adapter> = {}): Adapter =>
    defineAdapter({
      name: 'fake-desk',
      capabilities: {
        inbound: ['webhook'],
        nativeClose: true,
        messageIds: true,
        maxTextLength: 1_000,
        ...capabilities,
      },
      open: (session) =>
        called('open', () => {
          const ticket = {
            id: `T${tickets.length + 1}`,
            key: session.key,
            session,
            messages: [],
            closes: [],
          };
          tickets.push(ticket);
          return opened(ticket);
        }),
      find: ({ key }) =>
        called('find', () => {
          const ticket = tickets.find((each) => each.key === key);
          return ticket ? opened(ticket) : null;
        }),
      send: (ref, message) =>
        called('send', () => {
          const ticket = find(ref.externalId);
          ticket.messages.push(message);
          const messageId = `${ticket.id}-M${ticket.messages.length}`;
          return { messageId: capabilities.messageIds === false ? null : messageId };
        }),
      close: (ref, reason) => called('close', () => void find(ref.externalId).closes.push(reason)),
      verify: ({ headers, body, receivedAt }) =>
        verifySignature({
          secrets: [DESK_SECRET],
          payload: body,
          signature: headers['x-desk-signature'],
          receivedAt,
        }),
      parse({ body }) {
        try {
          return { events: JSON.parse(body.toString()) as InboundEvent[] };
        } catch (cause) {
          throw new AdapterError('invalid', 'the desk sent no JSON.', { cause });
        }
      },
      poll: (cursor) =>
        called('poll', () => ({
          events: cursor === null ? [] : events.slice(Number(cursor)),
          cursor: String(events.length),
        })),
      check: async () => [{ name: 'credentials', ok: true, detail: 'the desk lets us in' }],
      async dispose() {
        disposed += 1;
      },
      ...more,
    });

  return {
    adapter,
    tickets,
    calls,
    /** What a poll finds. */
    events,
    count: (verb: Verb): number => counts.get(verb) ?? 0,
    /** What was said in a ticket. */
    said: (id = 'T1'): string[] => find(id).messages.map(({ text }) => text),
    get disposed() {
      return disposed;
    },
    /** A session that nobody asked to open. */
    sessionWith: (key: string): HandoffSession => ({
      key,
      conversationId: 'nobody',
      user: { key: 'user:nobody', userId: null, anonymousId: null, email: null, phone: null },
      botId: null,
      transcript: [],
      requestedAt: new Date(0),
      replyBy: new Date(0),
    }),
    /** Changes what the desk does from now on. */
    behave(next: Partial<Record<Verb, Conduct>> = {}): void {
      conducts = next;
    },
  };
}

/** A desk of {@link fakeDesk}. */
export type FakeDesk = ReturnType<typeof fakeDesk>;

/** The signature of a webhook's body. */
export const signed = (body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-desk-signature': createHmac('sha256', DESK_SECRET).update(body).digest('hex'),
});

const ADA = { kind: 'agent', name: 'Ada' } as const;
let made = 0;

/** An agent says something. */
export const agentSays = (
  text: string,
  more: Partial<Extract<InboundEvent, { kind: 'message' }>> = {},
): InboundEvent => ({
  kind: 'message',
  id: `event-${++made}`,
  externalId: 'T1',
  author: ADA,
  text,
  internal: false,
  messageId: null,
  ...more,
});

/** An agent takes the conversation. */
export const agentJoins = (externalId = 'T1'): InboundEvent => ({
  kind: 'joined',
  id: `event-${++made}`,
  externalId,
  author: ADA,
});

/** An agent ends the conversation. */
export const agentCloses = (more: Partial<Extract<InboundEvent, { kind: 'closed' }>> = {}): InboundEvent => ({
  kind: 'closed',
  id: `event-${++made}`,
  externalId: 'T1',
  author: ADA,
  ...more,
});
