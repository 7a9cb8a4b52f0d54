import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsFor } from '../../../examples/custom-adapter/harness.js';
import {
  type Adapter,
  type AdapterCall,
  AdapterError,
  type AdapterErrorKind,
  createAdapterHttp,
  type HandoffSession,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
  type OpenedConversation,
} from '../../../src/bridge/index.js';
import type { AdapterFactoryInput } from '../../../src/testing/index.js';

/** A defect that is added to a correct adapter, and the failure that the kit must report. */
export interface Defect {
  readonly name: string;
  /** Matches the reported failure. */
  readonly failure: RegExp;
  /** Default `false`, because catchUp would compensate for most defects of parse. */
  readonly catchesUp?: boolean;
  readonly change: (good: WebhookAdapter, site: AdapterFactoryInput) => Partial<Adapter>;
}

/** The defects that each check must find, by its id. */
export type Defects = Readonly<Record<string, Defect | readonly Defect[]>>;

/** An adapter with webhooks. */
export type WebhookAdapter = Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;

type Verb = 'open' | 'find' | 'send' | 'close';

/** Maps the errors of every call. */
export function mappingErrors(good: WebhookAdapter, map: (error: AdapterError) => Error): Partial<Adapter> {
  const mapped = async <Value>(task: Promise<Value>): Promise<Value> => {
    try {
      return await task;
    } catch (error) {
      throw error instanceof AdapterError ? map(error) : error;
    }
  };
  return {
    open: (session, call) => mapped(good.open(session, call)),
    find: (session, call) => mapped(good.find(session, call)),
    send: (ref, message, call) => mapped(good.send(ref, message, call)),
    close: (ref, reason, call) => mapped(good.close(ref, reason, call)),
  };
}

/** Reports errors of one kind as another. */
export const reportedAs =
  (from: AdapterErrorKind, to: AdapterErrorKind) =>
  (good: WebhookAdapter): Partial<Adapter> =>
    mappingErrors(good, (error) => (error.kind === from ? new AdapterError(to, error.message) : error));

/** Throws TypeErrors instead of transient AdapterErrors. */
export const throwingFetchErrors = (good: WebhookAdapter): Partial<Adapter> =>
  mappingErrors(good, (error) => (error.kind === 'transient' ? new TypeError('fetch failed') : error));

/** Retries send in the adapter. */
export const retryingSend = (good: WebhookAdapter): Partial<Adapter> => ({
  send: (ref, message, call) => good.send(ref, message, call).catch(() => good.send(ref, message, call)),
});

/** Changes or drops parsed events. */
export const changingEvents =
  (change: (event: InboundEvent) => InboundEvent | null) =>
  (good: WebhookAdapter): Partial<Adapter> => ({
    parse(request) {
      const { events } = good.parse(request);
      return { events: events.map(change).filter((event) => event !== null) };
    },
  });

/** Adds events after parsed ones. */
export const addingEvents =
  (more: (event: InboundEvent) => readonly InboundEvent[]) =>
  (good: WebhookAdapter): Partial<Adapter> => ({
    parse: (request) => ({ events: good.parse(request).events.flatMap((event) => [event, ...more(event)]) }),
  });

/** JSON as it would be written anew. */
export const rewritten = (body: Buffer): Buffer =>
  Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))));

/** Sends again when there is no answer in time. */
export const resendingSlowMessages = (good: WebhookAdapter): Partial<Adapter> => ({
  async send(ref, message, call) {
    const sent = await Promise.race([good.send(ref, message, call), sleep(500, null)]);
    return sent ?? good.send(ref, message, call);
  },
});

/** Changes the text of inbound messages. */
export const changingInboundText = (change: (text: string) => string) =>
  changingEvents((event) => (event.kind === 'message' ? { ...event, text: change(event.text) } : event));

/** Changes the text of outbound messages. */
export const changingOutboundText =
  (change: (text: string) => string) =>
  (good: WebhookAdapter): Partial<Adapter> => ({
    send: (ref, message, call) => good.send(ref, { ...message, text: change(message.text) }, call),
  });

/** Changes requests before they are verified. */
export const changingVerifiedRequest =
  (change: (request: InboundRequest) => InboundRequest) =>
  (good: WebhookAdapter): Partial<Adapter> => ({ verify: (request) => good.verify(change(request)) });

/** Numbers events within their conversation, as some helpdesks do. */
export function numberingEvents(good: WebhookAdapter): Partial<Adapter> {
  const numbers = new Map<string, Map<string, number>>();
  return changingEvents((event) => {
    const known = numbers.get(event.externalId) ?? new Map<string, number>();
    numbers.set(event.externalId, known);
    known.set(event.id, known.get(event.id) ?? known.size);
    return { ...event, id: String(known.get(event.id)) };
  })(good);
}

/** Drops a reply that follows an alphabetically later one. A reply that was accepted once is always accepted. */
export function droppingLateEvents(good: WebhookAdapter): Partial<Adapter> {
  const taken = new Set<string>();
  let newest = '';
  return changingEvents((event) => {
    if (!isMessage(event) || event.author.kind !== 'agent' || taken.has(event.id)) return event;
    if (event.text < newest) return null;
    newest = event.text;
    taken.add(event.id);
    return event;
  })(good);
}

/** A call whose signal never aborts. */
export const deaf = (call: AdapterCall): AdapterCall => ({ ...call, signal: new AbortController().signal });

/** Ignores a call's signal. */
export function ignoringSignal(good: WebhookAdapter): Partial<Adapter> {
  return {
    open: (session, call) => good.open(session, deaf(call)),
    find: (session, call) => good.find(session, deaf(call)),
    send: (ref, message, call) => good.send(ref, message, deaf(call)),
    close: (ref, reason, call) => good.close(ref, reason, deaf(call)),
  };
}

/** Refuses all messages of a conversation after one was refused. */
export function givingUpOnConversations(good: WebhookAdapter): Partial<Adapter> {
  const refused = new Set<string>();
  return {
    async send(ref, message, call) {
      if (refused.has(ref.externalId)) throw new AdapterError('invalid', 'a message was refused before.');
      try {
        return await good.send(ref, message, call);
      } catch (error) {
        refused.add(ref.externalId);
        throw error;
      }
    },
  };
}

/** Fails with another error if catchUp fails, or lists nothing. */
export const failingList =
  (error: AdapterError | null) =>
  (good: WebhookAdapter): Partial<Adapter> => ({
    async catchUp(ref, since, call) {
      try {
        return (await good.catchUp?.(ref, since, call)) ?? [];
      } catch {
        if (error) throw error;
        return [];
      }
    },
  });

/** Finds also what this instance opened for a session in which `part` is the same. */
export const findingBy =
  (part: (session: HandoffSession) => string) =>
  (good: WebhookAdapter): Partial<Adapter> => {
    const opened = new Map<string, OpenedConversation>();
    return {
      async open(session, call) {
        const conversation = await good.open(session, call);
        opened.set(part(session), conversation);
        return conversation;
      },
      find: async (session, call) => opened.get(part(session)) ?? good.find(session, call),
    };
  };

/** Compares signatures in another way; the time is not checked. */
export const acceptingSignature =
  (accepts: (expected: string, given: string) => boolean) =>
  (_good: WebhookAdapter, site: AdapterFactoryInput): Partial<Adapter> => ({
    verify({ headers: { 'x-tiny-time': time, 'x-tiny-signature': given }, body }) {
      if (given === undefined) return 'unsigned';
      const hmac = createHmac('sha256', settingsFor(site).secret).update(`${time}.`).update(body);
      return accepts(hmac.digest('hex'), given) ? 'genuine' : 'forged';
    },
  });

/** Changes what catchUp lists. */
export const changingList =
  (change: (listed: readonly InboundEvent[]) => readonly InboundEvent[]) =>
  (good: WebhookAdapter): Partial<Adapter> => ({
    catchUp: async (ref, since, call) => change((await good.catchUp?.(ref, since, call)) ?? []),
  });

/** Sends a message only after all earlier messages of any conversation. */
export function sendingInTurn(good: WebhookAdapter): Partial<Adapter> {
  let last: Promise<unknown> = Promise.resolve();
  return {
    send(ref, message, call) {
      const sending = last.then(() => good.send(ref, message, call));
      last = sending.catch(() => {});
      return sending;
    },
  };
}

/** The desk's API, for defects that send their own requests. */
export const api = (site: AdapterFactoryInput) => {
  const { baseUrl, token } = settingsFor(site);
  return createAdapterHttp({
    helpdesk: 'Tiny Desk',
    baseUrl,
    headers: { authorization: `Bearer ${token}` },
  });
};

/** Fails to close a closed conversation. */
export const failingSecondClose = (
  good: WebhookAdapter,
  { helpdesk }: AdapterFactoryInput,
): Partial<Adapter> => ({
  async close(ref, reason, call) {
    if ((await helpdesk.read(ref.externalId)).isClosed)
      throw new AdapterError('invalid', 'the case is already closed.');
    await good.close(ref, reason, call);
  },
});

/** Ignores messages of conversations that this instance has not opened. */
export function forgettingOnRestart(good: WebhookAdapter, verb: Verb & 'send'): Partial<Adapter> {
  const mine = new Set<string>();
  return {
    async open(session, call) {
      const opened = await good.open(session, call);
      mine.add(opened.externalId);
      return opened;
    },
    [verb]: async (...given: Parameters<Adapter['send']>) =>
      mine.has(given[0].externalId) ? good.send(...given) : { messageId: null },
  };
}

/** Returns from open before the conversation exists. */
export function openingInBackground(good: WebhookAdapter): Partial<Adapter> {
  const ids = new Map<string, string>();
  return {
    async open(session, call) {
      good.open(session, call).then(
        ({ externalId }) => ids.set(session.key, externalId),
        () => {},
      );
      return { externalId: session.key };
    },
    async send(ref, message, call) {
      const externalId = ids.get(ref.externalId);
      return externalId ? good.send({ ...ref, externalId }, message, call) : { messageId: null };
    },
  };
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
export const latin1 = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
export const withoutEmoji = (text: string): string => text.replace(/\p{Extended_Pictographic}/gu, '');
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
export const newId = (): string => randomUUID();
export const isMessage = (event: InboundEvent): event is InboundMessage => event.kind === 'message';
