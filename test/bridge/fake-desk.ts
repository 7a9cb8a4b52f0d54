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
} from '../../src/public/adapter.js';

/** The secret of the desk's webhooks. */
export const DESK_SECRET = 'S3cret-of-the-desk';

/** A conversation at the desk. */
export interface Ticket {
  readonly id: string;
  readonly key: string;
  readonly session: HandoffSession;
  readonly messages: OutgoingMessage[];
  readonly closes: CloseReason[];
}

/** The adapter methods that are counted and can be overridden. */
type MethodName = 'open' | 'find' | 'send' | 'close' | 'poll';

/** Replaces the effect of a call. `apply` runs the normal effect; `nth` counts calls of that method from 1. */
export type CallBehavior = (apply: () => unknown, nth: number) => unknown;

/** A helpdesk in memory whose behavior a test can change. */
export function fakeDesk() {
  const tickets: Ticket[] = [];
  const calls: { method: MethodName; nth: number }[] = [];
  const events: InboundEvent[] = [];
  const counts = new Map<MethodName, number>();
  let behaviors: Partial<Record<MethodName, CallBehavior>> = {};
  let disposed = 0;

  const find = (id: string): Ticket => {
    const ticket = tickets.find((each) => each.id === id);
    if (!ticket) throw new AdapterError('gone', 'the desk has no such ticket.');
    return ticket;
  };
  const called = async <Result>(method: MethodName, apply: () => Result): Promise<Result> => {
    const nth = (counts.get(method) ?? 0) + 1;
    counts.set(method, nth);
    calls.push({ method, nth });
    const behavior = behaviors[method];
    return (behavior ? await behavior(apply, nth) : apply()) as Result;
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
    /** Events returned by polls. */
    events,
    count: (method: MethodName): number => counts.get(method) ?? 0,
    /** The texts of the messages sent to a ticket. */
    sentTexts: (id = 'T1'): string[] => find(id).messages.map(({ text }) => text),
    get disposed() {
      return disposed;
    },
    /** A session that was never requested. */
    sessionWith: (key: string): HandoffSession => ({
      key,
      conversationId: 'unknown',
      bot: 'default',
      user: { key: 'user:unknown', userId: null, anonymousId: null, email: null, phone: null },
      botId: null,
      transcript: [],
      requestedAt: new Date(0),
      replyBy: new Date(0),
    }),
    /** Overrides methods from now on; without arguments restores all. */
    behave(next: Partial<Record<MethodName, CallBehavior>> = {}): void {
      behaviors = next;
    },
  };
}

/** The result of {@link fakeDesk}. */
export type FakeDesk = ReturnType<typeof fakeDesk>;

/** The headers of a signed webhook. */
export const signatureHeaders = (body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-desk-signature': createHmac('sha256', DESK_SECRET).update(body).digest('hex'),
});

const ADA = { kind: 'agent', name: 'Ada' } as const;
let eventCount = 0;

/** The event of an agent's message. */
export const agentSays = (
  text: string,
  more: Partial<Extract<InboundEvent, { kind: 'message' }>> = {},
): InboundEvent => ({
  kind: 'message',
  id: `event-${++eventCount}`,
  externalId: 'T1',
  author: ADA,
  text,
  internal: false,
  messageId: null,
  ...more,
});

/** The event of an agent taking the conversation. */
export const agentJoins = (externalId = 'T1'): InboundEvent => ({
  kind: 'joined',
  id: `event-${++eventCount}`,
  externalId,
  author: ADA,
});

/** The event of an agent closing the conversation. */
export const agentCloses = (more: Partial<Extract<InboundEvent, { kind: 'closed' }>> = {}): InboundEvent => ({
  kind: 'closed',
  id: `event-${++eventCount}`,
  externalId: 'T1',
  author: ADA,
  ...more,
});
