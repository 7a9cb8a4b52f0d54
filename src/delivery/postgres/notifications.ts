import type { Client, ClientConfig } from 'pg';
import type { SqlRow, SqlValue } from '../storage/sql.js';
import { clientClassOf, type Servers } from './primary.js';

/** The delay before a lost connection for notifications is replaced. */
const LISTEN_AGAIN_MS = 1_000;

export interface NotificationOptions {
  readonly channel: string;
  readonly connection: { readonly servers: Servers; readonly settings: ClientConfig };
  readonly query: (sql: string, values: readonly SqlValue[]) => Promise<SqlRow[]>;
  readonly onError: (error: unknown) => void;
}

/**
 * Notifies other processes with `NOTIFY`, and listens on a separate connection. Notifications are lost with the
 * connection, so subscribers are called after every reconnect, and also poll.
 */
export function createNotifications({ channel, connection, query, onError }: NotificationOptions) {
  const listeners = new Map<string, Set<() => void>>();
  const unsent = new Set<string>();
  let sending: Promise<void> | undefined;
  let listening: Client | undefined;
  let connecting = false;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const callAll = (): void => {
    for (const topic of listeners.values()) for (const listener of topic) listener();
  };

  const reconnect = (error: unknown): void => {
    connecting = false;
    listening = undefined;
    if (stopped) return;
    onError(error);
    clearTimeout(retry);
    retry = setTimeout(listen, LISTEN_AGAIN_MS).unref();
  };

  const openListener = async (): Promise<void> => {
    const Listener = await clientClassOf(connection.servers);
    // No time limit on the connection itself, which waits for notifications; only its statements have one.
    const client = new Listener(connection.settings);
    client.on('error', (error) => {
      if (listening === client) reconnect(error);
    });
    client.on('end', () => {
      if (listening === client) reconnect(new Error('the connection for notifications was closed'));
    });
    client.on('notification', ({ payload }) => {
      for (const listener of listeners.get(payload ?? '') ?? []) listener();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    if (stopped) return client.end();
    listening = client;
    connecting = false;
    callAll();
  };

  const listen = (): void => {
    if (connecting || listening || stopped) return;
    connecting = true;
    openListener().catch(reconnect);
  };

  const sendAll = async (): Promise<void> => {
    while (unsent.size > 0) {
      const topics = [...unsent];
      unsent.clear();
      await query(`SELECT pg_notify($1, item) FROM json_array_elements_text($2::json) AS topics (item)`, [
        channel,
        JSON.stringify(topics),
      ]).catch(onError);
    }
    // In the same step as the last look at `unsent`: a topic that is published later starts anew.
    sending = undefined;
  };

  return {
    publish(topic: string): void {
      if (stopped) return;
      unsent.add(topic);
      sending ??= sendAll();
    },
    subscribe(topic: string, listener: () => void): () => void {
      const topicListeners = listeners.get(topic) ?? new Set();
      listeners.set(topic, topicListeners.add(listener));
      listen();
      return () => void topicListeners.delete(listener);
    },
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(retry);
      await sending;
      const client = listening;
      listening = undefined;
      await client?.end().catch(() => undefined);
    },
  };
}
