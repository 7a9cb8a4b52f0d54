import { type Adapter, AdapterError, defineAdapter } from '../../bridge/index.js';
import type { DeskConversations } from './conversations/index.js';

/** Creates the adapter of a desk: the bridge writes to its conversations, and receives agents' actions as a stream. */
export function createDeskAdapter(
  { customerActions, sender, records }: DeskConversations,
  urlOf: (id: string) => string | undefined,
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
    async open(session) {
      await withTransientErrors(customerActions.open(session));
      return refOf(session.key);
    },
    async find(session) {
      const id = await withTransientErrors(customerActions.find(session));
      return id === null ? null : refOf(id);
    },
    async send({ externalId }, message) {
      const isKnown = await withTransientErrors(customerActions.addMessage(externalId, message));
      if (!isKnown) throw new AdapterError('gone', 'the desk does not know this conversation any more.');
      return { messageId: message.key };
    },
    async close({ externalId }, { by }) {
      await withTransientErrors(customerActions.close(externalId, by));
    },
    async stream(emit, { signal }) {
      try {
        await sender.start(emit);
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        await sender.stop();
      }
    },
    async check() {
      await withTransientErrors(records.get(''));
      return [{ name: 'storage', ok: true, detail: 'the desk can read its store.' }];
    },
  });

  function refOf(id: string) {
    const url = urlOf(id);
    return { externalId: id, ...(url === undefined ? {} : { url }) };
  }
}

/** Every error of the store is transient: its database may be down for a while. */
async function withTransientErrors<Result>(task: Promise<Result>): Promise<Result> {
  try {
    return await task;
  } catch (cause) {
    throw new AdapterError('transient', 'the desk could not reach its store.', { cause });
  }
}
