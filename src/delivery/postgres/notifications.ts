import { randomUUID } from 'node:crypto';
import type { Client, ClientConfig } from 'pg';
import type { SqlRow, SqlValue } from '../storage/sql.js';
import { clientClassOf, type Servers } from './primary.js';

/** The delay before a lost connection for notifications is replaced. */
const LISTEN_AGAIN_MS = 1_000;

/** How long a notification to this process itself may take. */
const ARRIVES_WITHIN_MS = 10_000;

interface NotificationOptions {
  readonly channel: string;
  readonly connection: { readonly servers: Servers; readonly settings: ClientConfig };
  readonly query: (sql: string, values: readonly SqlValue[]) => Promise<SqlRow[]>;
  readonly onError: (error: unknown) => void;
  /** Called once if notifications do not arrive. */
  readonly onMissing: () => void;
}

/**
 * Notifies other processes with `NOTIFY`, and listens on a separate connection. Notifications are lost with the
 * connection, so subscribers are called after every reconnect, and also poll. Behind a pooler that shares connections
 * between transactions none arrive, although `LISTEN` succeeds: a notification to itself shows that.
 */
export function createNotifications({ channel, connection, query, onError, onMissing }: NotificationOptions) {
  const listeners = new Map<string, Set<() => void>>();
  const unsent = new Set<string>();
  let sending: Promise<void> | undefined;
  let listening: Client | undefined;
  let connecting = false;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  let isReported = false;

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
    if (!isReported) checkArrival(client);
  };

  /** Sends a notification to this process itself. */
  const checkArrival = (client: Client): void => {
    const topic = `check ${randomUUID()}`;
    const end = (): void => {
      clearTimeout(timer);
      listeners.delete(topic);
    };
    const timer = setTimeout(() => {
      end();
      if (listening !== client) return;
      isReported = true;
      onMissing();
    }, ARRIVES_WITHIN_MS).unref();
    listeners.set(topic, new Set([end]));
    // Without the database, nothing can be said.
    notify([topic]).catch(end);
  };

  const notify = (topics: readonly string[]): Promise<unknown> =>
    query(`SELECT pg_notify($1, item) FROM json_array_elements_text($2::json) AS topics (item)`, [
      channel,
      JSON.stringify(topics),
    ]);

  const listen = (): void => {
    if (connecting || listening || stopped) return;
    connecting = true;
    openListener().catch(reconnect);
  };

  const sendAll = async (): Promise<void> => {
    while (unsent.size > 0) {
      const topics = [...unsent];
      unsent.clear();
      await notify(topics).catch(onError);
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
