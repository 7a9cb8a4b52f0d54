import { type Adapter, type AdapterCall, AdapterError, defineAdapter } from '../../bridge/index.js';
import type { Assigner } from './assignment/assigner.js';
import type { DeskConversations } from './conversations/index.js';

/** Work that goes on while the receiver runs. */
export interface BackgroundWork {
  start(): void;
  stop(): Promise<void>;
}

/** Creates the adapter of a desk: the bridge writes to its conversations, and receives agents' actions as a stream. */
export function createDeskAdapter(
  { customerActions, sender, records }: DeskConversations,
  assigner: Assigner,
  urlOf: (id: string) => string | undefined,
  others: readonly BackgroundWork[] = [],
): Adapter {
  return defineAdapter({
    name: 'desk',
    capabilities: {
      inbound: ['stream'],
      streamsPerProcess: true,
      nativeClose: true,
      messageIds: true,
      maxTextLength: 100_000,
    },
    async open(session, call) {
      await withTransientErrors(customerActions.open(session), call);
      assigner.kick();
      return refOf(session.key);
    },
    async find(session, call) {
      const id = await withTransientErrors(customerActions.find(session), call);
      return id === null ? null : refOf(id);
    },
    async send({ externalId }, message, call) {
      const isKnown = await withTransientErrors(customerActions.addMessage(externalId, message), call);
      if (!isKnown) throw new AdapterError('gone', 'the desk does not know this conversation any more.');
      return { messageId: message.key };
    },
    async close({ externalId }, { by }, call) {
      await withTransientErrors(customerActions.close(externalId, by), call);
      assigner.kick();
    },
    async stream(emit, { signal }) {
      try {
        await sender.start(emit);
        for (const work of [assigner, ...others]) work.start();
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        await Promise.all([assigner, ...others].map((work) => work.stop()));
        await sender.stop();
      }
    },
    // The desk shows the delivery state of each reply, by its receipt.
    async undelivered() {},
    async check(call) {
      await withTransientErrors(records.get(''), call);
      return [{ name: 'storage', ok: true, detail: 'the desk can read its store.' }];
    },
  });

  function refOf(id: string) {
    const url = urlOf(id);
    return { externalId: id, ...(url === undefined ? {} : { url }) };
  }
}

/** Every error of the store is transient: its database may be down for a while, or hang. */
async function withTransientErrors<Result>(task: Promise<Result>, { signal }: AdapterCall): Promise<Result> {
  const done = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
  });
  try {
    return await Promise.race([task, aborted]);
  } catch (cause) {
    throw new AdapterError('transient', 'the desk could not reach its store.', { cause });
  } finally {
    done.abort();
  }
}
