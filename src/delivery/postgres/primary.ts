import { callbackify } from 'node:util';
import type { Client, ClientConfig, PoolConfig } from 'pg';

/**
 * Finds the server that accepts writes among several, of which the others are its standbys: node-postgres knows only
 * one. Every new connection asks, so that a failover needs no person and no restart:
 *
 * ```
 *   connect to the server that accepted writes last ──► does it accept writes? ──yes──► use the connection
 *          ▲                                                    │ no, or no answer
 *          └──────────────── the next server of the list ◄──────┘
 * ```
 */
export interface Servers {
  readonly count: number;
  /** Settings for a connection to the server that accepted writes last. */
  current(): PoolConfig;
  /** The server of these settings does not accept writes, or does not answer: the next one is tried. */
  failed(settings: PoolConfig): void;
}

/** @param servers - settings of each server, in the order in which they are tried */
export function createServers(servers: readonly PoolConfig[]): Servers {
  let index = 0;
  const current = (): PoolConfig => servers[index] ?? {};
  return {
    count: servers.length,
    current,
    failed(settings) {
      // Several connections notice the same failure.
      if (settings === current()) index = (index + 1) % servers.length;
    },
  };
}

/** The addresses in a connection string with several servers: `postgres://user:password@one:5432,two:5432/name`. */
export function splitServers(connectionString: string): string[] {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(connectionString);
  const [, start = '', hosts = '', rest = ''] = match ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => start + host + rest) : [connectionString];
}

/** An error of a connection that could not be used; another server may accept it. */
const failures = new WeakSet<object>();
export const isServerFailure = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && failures.has(error);

const IS_WRITABLE = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS writable`;

/** How long a server may take to say whether it accepts writes. */
const ANSWER_MS = 5_000;

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** A class of clients that connect to the server that accepts writes. */
export async function clientClassOf(servers: Servers): Promise<new (config?: ClientConfig) => Client> {
  const { default: pg } = await import('pg');
  if (servers.count < 2) return pg.Client;

  return class PrimaryClient extends pg.Client {
    readonly #server: PoolConfig;

    constructor(config?: ClientConfig) {
      const server = servers.current();
      super({ ...config, ...server });
      this.#server = server;
    }

    override connect(): Promise<Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<Client> | undefined {
      if (!callback) return this.#connectToPrimary();
      callbackify(() => this.#connectToPrimary())(callback as (error: Error | null, client: Client) => void);
      return undefined;
    }

    async #connectToPrimary(): Promise<Client> {
      try {
        const client = await super.connect();
        const query = { text: IS_WRITABLE, query_timeout: ANSWER_MS };
        const { rows } = await this.query<{ writable: boolean }>(query);
        if (rows[0]?.writable !== true) throw new Error('this server does not accept writes');
        return client;
      } catch (error) {
        servers.failed(this.#server);
        if (typeof error === 'object' && error !== null) failures.add(error);
        this.end().catch(() => undefined);
        throw error;
      }
    }
  };
}
