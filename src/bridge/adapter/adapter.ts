import { checkCount, configError } from '../../internal/index.js';
import type {
  AdapterCall,
  AdapterCheckResult,
  CloseReason,
  ConversationRef,
  EmitEvents,
  HandoffSession,
  InboundEvent,
  InboundRequest,
  OpenedConversation,
  OutgoingMessage,
  ParsedWebhook,
  PollResult,
  SentMessage,
  SignatureVerdict,
  UndeliveredMessage,
  UndeliveredReason,
} from './adapter-types.js';

/** At most `count` calls in any period of `perMs` milliseconds. */
export interface RateLimit {
  readonly count: number;
  readonly perMs: number;
}

/**
 * Features and limits of a helpdesk. The bridge works around what is missing.
 *
 * @example
 * const capabilities: AdapterCapabilities = {
 *   inbound: ['webhook'],
 *   nativeClose: true,
 *   messageIds: true,
 *   maxTextLength: 2_000,
 *   rate: { perConversation: { count: 1, perMs: 1_000 } },
 * };
 */
export interface AdapterCapabilities {
  /** How events arrive. With several ways the same event may arrive by each of them; it takes effect once. */
  readonly inbound: readonly ('webhook' | 'poll' | 'stream')[];
  /** Whether conversations have a closed state in the helpdesk. */
  readonly nativeClose: boolean;
  /** Whether `send` returns the id under which the message comes back as an event. */
  readonly messageIds: boolean;
  /** The longest message, in UTF-16 code units (`string.length`). The bridge splits longer ones. */
  readonly maxTextLength: number;
  /** How fast `send` may be called: by all processes together where they share a database, else by each. */
  readonly rate?: {
    /** For all conversations together. */
    readonly overall?: RateLimit;
    /** For each conversation. Messages that arrive faster are joined into one. */
    readonly perConversation?: RateLimit;
  };
  /**
   * `true` when webhooks can overtake one another. The bridge then asks `catchUp` before each reply, and not only before
   * a close. Default `false`.
   */
  readonly unordered?: boolean;
  /**
   * `true` when the helpdesk marks a message as failed if its webhook is not answered with 2xx. The bridge then answers
   * 422 to a reply that cannot reach the user, and calls `undelivered` only for one that fails later. Default `false`.
   */
  readonly marksFailedWebhooks?: boolean;
  /**
   * `true` when the stream of a process carries only events of that process, so that every process must listen.
   * Default `false`: one process holds a lease and listens, the others stand by.
   */
  readonly streamsPerProcess?: boolean;
  /** Interval between polls. Default 5 seconds. */
  readonly pollEveryMs?: number;
}

/**
 * Carries handed-over conversations into one helpdesk. An adapter has no queue, no timer and no retry: the bridge
 * provides order, retries, rate limits, deduplication and echo detection.
 *
 * Every method reports failure by throwing an `AdapterError`, whose kind tells the bridge what to do next.
 *
 * @example
 * const ourDesk: Adapter = {
 *   name: 'our-desk',
 *   capabilities: { inbound: ['webhook'], nativeClose: true, messageIds: true, maxTextLength: 2_000 },
 *   ...calls, // open, find, send, close, verify and parse, as below
 * };
 */
export interface Adapter {
  /** Lower-case letters, digits and hyphens. Used in settings, paths, log lines and stored keys. */
  readonly name: string;
  readonly capabilities: AdapterCapabilities;

  /**
   * Creates the conversation in the helpdesk, with the user and the transcript. Store `session.key` in the same
   * request, so that `find` can recover the conversation when the response is lost.
   *
   * @example
   * async open({ key, user, transcript }, call) {
   *   const json = { reference: key, customer: user.key, text: transcriptText(transcript) };
   *   const { body } = await http({ method: 'POST', path: '/cases', json }, call);
   *   return { externalId: idOf(body) };
   * }
   */
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;

  /**
   * Looks for the conversation of an earlier `open` whose response was lost. Resolves to `null` when there is
   * none, or when it is incomplete and `open` would complete it.
   *
   * @example
   * async find({ key }, call) {
   *   const path = `/cases/by-reference/${encodeURIComponent(key)}`;
   *   const found = await http({ method: 'GET', path }, call).catch(nullIf('gone'));
   *   return found && { externalId: idOf(found.body) };
   * }
   */
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;

  /**
   * Shows one message of the user to the agents. Do not retry: the bridge does, with the same `message.key`.
   *
   * @example
   * async send({ externalId }, { key, text }, call) {
   *   const path = `/cases/${externalId}/messages`;
   *   const { body } = await http({ method: 'POST', path, json: { text, idempotencyKey: key } }, call);
   *   return { messageId: idOf(body) };
   * }
   */
  send(ref: ConversationRef, message: OutgoingMessage, call: AdapterCall): Promise<SentMessage>;

  /**
   * Closes the conversation in the helpdesk. Closing one that is already closed succeeds.
   *
   * @example
   * async close({ externalId }, { text }, call) {
   *   await http({ method: 'PUT', path: `/cases/${externalId}`, json: { status: 'closed', note: text } }, call);
   * }
   */
  close(ref: ConversationRef, reason: CloseReason, call: AdapterCall): Promise<void>;

  /**
   * Checks that a webhook request comes from the helpdesk. Pure: no network, no clock. It must cover everything
   * that `parse` reads. Required for `inbound: ['webhook']`.
   *
   * @example
   * verify: ({ headers, body, receivedAt }) =>
   *   verifySignature({ secrets: [secret], payload: body, signature: headers['x-signature'], receivedAt })
   */
  verify?(request: InboundRequest): SignatureVerdict;

  /**
   * Translates a genuine webhook request into events. Pure. Throws an `AdapterError` of kind `invalid` for a
   * request it cannot read. Required for `inbound: ['webhook']`.
   *
   * @example
   * parse({ body }) {
   *   const { id, caseId, agent, text } = JSON.parse(body.toString('utf8'));
   *   const author = { kind: 'agent', name: agent } as const;
   *   return { events: [{ kind: 'message', id, externalId: caseId, author, text, internal: false, messageId: id }] };
   * }
   */
  parse?(request: InboundRequest): ParsedWebhook;

  /**
   * Reads the events since `cursor`. With `null`, returns the current position and no events. Required for
   * `inbound: ['poll']`.
   *
   * @example
   * async poll(cursor, call) {
   *   const { body } = await http({ method: 'GET', path: `/events?after=${cursor ?? 'now'}` }, call);
   *   return { events: eventsOf(body), cursor: cursorOf(body) };
   * }
   */
  poll?(cursor: string | null, call: AdapterCall): Promise<PollResult>;

  /**
   * Emits events over a connection until `call.signal` aborts. Rejects when the connection breaks; the bridge
   * connects again with backoff. Required for `inbound: ['stream']`.
   *
   * @example
   * async stream(emit, { signal }) {
   *   for await (const event of connection.events({ signal })) await emit(event);
   * }
   */
  stream?(emit: EmitEvents, call: AdapterCall): Promise<void>;

  /**
   * Lists what agents did in a conversation since a time, in the helpdesk's own order, and that it is closed, if it is.
   * An event has the id under which it arrives otherwise, so that it takes effect once; older events may be listed too.
   * The bridge asks before it acts on a close and after a downtime, since webhooks get lost and overtake one another.
   * Optional.
   *
   * @example
   * async catchUp({ externalId }, since, call) {
   *   const path = `/cases/${externalId}/events?since=${since.toISOString()}`;
   *   const { body } = await http({ method: 'GET', path }, call);
   *   return eventsOf(body);
   * }
   */
  catchUp?(ref: ConversationRef, since: Date, call: AdapterCall): Promise<readonly InboundEvent[]>;

  /**
   * Looks up the name of an agent, for events whose author has an `id` and no name. Keep the names: it is asked before
   * each reply. One that has no result within a second and a half is sent without a name. Optional.
   *
   * @example
   * async agentName(id, call) {
   *   const { body } = await http({ method: 'GET', path: `/agents/${id}` }, call);
   *   return String(Object(body).name);
   * }
   */
  agentName?(id: string, call: AdapterCall): Promise<string | null>;

  /**
   * Shows the agents that the user does not get a reply. The conversation may be closed, and stays so. Without it, the
   * bridge writes a note with `send` while the conversation is open, and a warning to the log after that. Optional.
   *
   * @example
   * async undelivered({ externalId }, { messageId }, { text }, call) {
   *   await http({ method: 'PUT', path: `/cases/${externalId}/messages/${messageId}`, json: { failed: text } }, call);
   * }
   */
  undelivered?(
    ref: ConversationRef,
    message: UndeliveredMessage,
    reason: UndeliveredReason,
    call: AdapterCall,
  ): Promise<void>;

  /**
   * Checks the setup: address, credentials, permissions, secret. Report each finding as a result instead of
   * throwing. `handoff-kit adapter check` prints them.
   *
   * @example
   * async check(call) {
   *   const { body } = await http({ method: 'GET', path: '/me' }, call);
   *   return [{ name: 'token', ok: true, detail: `accepted for the account ${idOf(body)}.` }];
   * }
   */
  check(call: AdapterCall): Promise<readonly AdapterCheckResult[]>;

  /**
   * Releases connections and timers when the bridge closes.
   *
   * @example
   * async dispose() {
   *   await connection.close();
   * }
   */
  dispose?(): Promise<void>;
}

/**
 * Types an adapter and checks that its capabilities match its methods. Throws a configuration error otherwise.
 *
 * @example
 * export const ourDesk = defineAdapter({ name: 'our-desk', capabilities, ...calls });
 */
export function defineAdapter<Defined extends Adapter>(adapter: Defined): Defined {
  checkAdapter(adapter);
  return adapter;
}

const NAME = /^[a-z][a-z0-9-]{0,30}$/;

const REQUIRED_METHODS = {
  webhook: ['verify', 'parse'],
  poll: ['poll'],
  stream: ['stream'],
} as const satisfies Record<string, readonly (keyof Adapter)[]>;

/** Throws when the parts of an adapter do not fit together, before the first conversation fails on it. */
export function checkAdapter(adapter: Adapter): void {
  const { name, capabilities } = adapter;
  if (!NAME.test(name)) {
    throw configError(
      `an adapter's name is lower-case letters, digits and hyphens, at most 31; got ${JSON.stringify(name)}.`,
    );
  }
  checkCount(`${name}: capabilities.maxTextLength`, capabilities.maxTextLength);
  for (const way of capabilities.inbound) {
    const missing = REQUIRED_METHODS[way].filter((method) => typeof adapter[method] !== 'function');
    if (missing.length === 0) continue;
    throw configError(
      `${name} lists '${way}' in capabilities.inbound and has no ${missing.join(' and no ')}. Add ${missing.length === 1 ? 'that method' : 'those methods'}, or remove '${way}'.`,
    );
  }
  if (capabilities.unordered && typeof adapter.catchUp !== 'function') {
    throw configError(`${name}: capabilities.unordered needs catchUp. Add that method, or remove unordered.`);
  }
  if (capabilities.inbound.length === 0) {
    throw configError(
      `${name}: capabilities.inbound is empty. List how events arrive: 'webhook', 'poll' or 'stream'.`,
    );
  }
}
