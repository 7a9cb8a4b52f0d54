import { type Adapter, AdapterError, defineAdapter } from '../../bridge/index.js';
import type { Book } from './book/index.js';

/** Makes the adapter of a desk: what the bridge writes into its book, and what agents do as a stream. */
export function createDeskAdapter(book: Book, urlOf: (id: string) => string | undefined): Adapter {
  const { customer, outbound, records } = book;
  return defineAdapter({
    name: 'desk',
    capabilities: {
      inbound: ['stream'],
      streamsPerProcess: true,
      nativeClose: true,
      messageIds: true,
      maxTextLength: 100_000,
    },
    async open(session) {
      await kept(customer.open(session));
      return opened(session.key);
    },
    async find(session) {
      const id = await kept(customer.find(session));
      return id === null ? null : opened(id);
    },
    async send({ externalId }, message) {
      if (await kept(customer.said(externalId, message))) return { messageId: message.key };
      throw new AdapterError('gone', 'the desk does not know this conversation any more.');
    },
    async close({ externalId }, { by }) {
      await kept(customer.ended(externalId, by));
    },
    async stream(emit, { signal }) {
      try {
        await outbound.start(emit);
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        await outbound.stop();
      }
    },
    async check() {
      await kept(records.get(''));
      return [{ name: 'storage', ok: true, detail: 'the desk can read what it keeps.' }];
    },
  });

  function opened(id: string) {
    const url = urlOf(id);
    return { externalId: id, ...(url === undefined ? {} : { url }) };
  }
}

/** What the desk keeps is in a database, which may be away for a while. */
async function kept<Result>(task: Promise<Result>): Promise<Result> {
  try {
    return await task;
  } catch (cause) {
    throw new AdapterError('transient', 'the desk could not reach what it keeps.', { cause });
  }
}
