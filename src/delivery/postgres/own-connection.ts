import type { Client, ClientConfig } from 'pg';
import { HandoffKitError } from '../../internal/index.js';
import type { SqlRow } from '../storage/sql.js';
import { clientClassOf, type Servers } from './primary.js';
import { inTime } from './time-limit.js';

interface OwnConnectionOptions {
  readonly connection: { readonly servers: Servers; readonly settings: ClientConfig };
  /** How long a statement may take. Connecting, which has several steps, may take twice as long. */
  readonly limitMs: number;
  /** Called when the connection fails while it is not used. */
  readonly onError: (error: unknown) => void;
}

/**
 * A connection outside the pool, for statements that must not wait for others. It connects on first use, and anew after
 * an error or a statement that took too long.
 */
export function createOwnConnection({ connection, limitMs, onError }: OwnConnectionOptions) {
  let current: Promise<Client> | undefined;
  let closed = false;

  const connect = async (): Promise<Client> => {
    const OwnClient = await clientClassOf(connection.servers);
    const client = new OwnClient({ ...connection.settings, connectionTimeoutMillis: 2 * limitMs });
    client.on('error', onError);
    await client.connect();
    return client;
  };

  const end = async (): Promise<void> => {
    const ended = current;
    current = undefined;
    await ended?.then((client) => client.end()).catch(() => undefined);
  };

  return {
    query: async (sql: string, values: readonly unknown[]): Promise<SqlRow[]> => {
      if (closed) throw new HandoffKitError('DELIVERY_STOPPED', 'the database was closed.');
      current ??= connect();
      try {
        const client = await current;
        const { rows } = await inTime(client.query(sql, [...values]), limitMs);
        return rows as SqlRow[];
      } catch (error) {
        void end();
        throw error;
      }
    },
    close(): Promise<void> {
      closed = true;
      return end();
    },
  };
}
