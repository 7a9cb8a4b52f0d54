import { createHash, randomUUID } from 'node:crypto';
import { settingsFor } from '../../../examples/custom-adapter/harness.js';
import {
  type Adapter,
  AdapterError,
  type AdapterErrorKind,
  createAdapterHttp,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
} from '../../../src/adapter.js';
import type { AdapterSite } from '../../../src/testing/index.js';

/** What a seeded defect changes of a good adapter, and what the kit must say of it. */
export interface Defect {
  readonly what: string;
  /** Of what the failure must tell. */
  readonly tells: RegExp;
  readonly change: (good: Hooked, site: AdapterSite) => Partial<Adapter>;
}

/** A good adapter, with webhooks. */
export type Hooked = Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;

type Verb = 'open' | 'find' | 'send' | 'close';

/** What every call of the adapter fails with, turned into something else. */
function failures(good: Hooked, turn: (error: AdapterError) => Error): Partial<Adapter> {
  const turned = async <Value>(task: Promise<Value>): Promise<Value> => {
    try {
      return await task;
    } catch (error) {
      throw error instanceof AdapterError ? turn(error) : error;
    }
  };
  return {
    open: (session, call) => turned(good.open(session, call)),
    find: (session, call) => turned(good.find(session, call)),
    send: (ref, message, call) => turned(good.send(ref, message, call)),
    close: (ref, reason, call) => turned(good.close(ref, reason, call)),
  };
}

/** Failures of one kind, told as another. */
export const toldAs =
  (from: AdapterErrorKind, to: AdapterErrorKind) =>
  (good: Hooked): Partial<Adapter> =>
    failures(good, (error) => (error.kind === from ? new AdapterError(to, error.message) : error));

/** Failures that are no AdapterErrors. */
export const thrownRaw = (good: Hooked): Partial<Adapter> =>
  failures(good, (error) => (error.kind === 'transient' ? new TypeError('fetch failed') : error));

/** A call that is made again by the adapter itself. */
export const tryingAgain = (good: Hooked): Partial<Adapter> => ({
  send: (ref, message, call) => good.send(ref, message, call).catch(() => good.send(ref, message, call)),
});

/** Events changed after they were read. */
export const reading =
  (change: (event: InboundEvent) => InboundEvent | null) =>
  (good: Hooked): Partial<Adapter> => ({
    parse(request) {
      const { events } = good.parse(request);
      return { events: events.map(change).filter((event) => event !== null) };
    },
  });

/** Messages of agents changed after they were read. */
export const readingText = (change: (text: string) => string) =>
  reading((event) => (event.kind === 'message' ? { ...event, text: change(event.text) } : event));

/** Words of users changed before they are sent. */
export const sendingText =
  (change: (text: string) => string) =>
  (good: Hooked): Partial<Adapter> => ({
    send: (ref, message, call) => good.send(ref, { ...message, text: change(message.text) }, call),
  });

/** Requests changed before they are verified. */
export const verifying =
  (change: (request: InboundRequest) => InboundRequest) =>
  (good: Hooked): Partial<Adapter> => ({ verify: (request) => good.verify(change(request)) });

/** The API of the desk, for defects that must do something else with it. */
export const api = (site: AdapterSite) => {
  const { baseUrl, token } = settingsFor(site);
  return createAdapterHttp({
    system: 'Tiny Desk',
    baseUrl,
    headers: { authorization: `Bearer ${token}` },
  });
};

/** A close that fails when there is nothing to close. */
export const closingOnce = (good: Hooked, { system }: AdapterSite): Partial<Adapter> => ({
  async close(ref, reason, call) {
    if ((await system.read(ref.externalId)).isClosed)
      throw new AdapterError('invalid', 'the case is closed already.');
    await good.close(ref, reason, call);
  },
});

/** A verb that does nothing for what this instance has not opened itself. */
export function forgetful(good: Hooked, verb: Verb & 'send'): Partial<Adapter> {
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

/** An open that comes back before there is anything to write to. */
export function hasty(good: Hooked): Partial<Adapter> {
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
