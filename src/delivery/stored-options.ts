import type { Backoff } from './backoff.js';
import type { OutboxPolicy } from './outbox.js';

/** Settings of every delivery that stores. */
export interface StoredOptions {
  /** How often an event is tried before it is parked as dead. Default 8. */
  readonly maxAttempts?: number;
  /** How waits grow between attempts. Default from one second to five minutes. */
  readonly backoff?: Partial<Backoff>;
  /** How long handlers may take. Default 5 minutes. */
  readonly handlerTimeoutMs?: number;
  /** Whether handled events and sent replies keep their content until they are forgotten. Default `false`. */
  readonly keepContent?: boolean;
  /**
   * How long what was done is remembered, to tell repeats: on SQLite from when it came, on PostgreSQL from when it was
   * done. Default 7 days.
   */
  readonly rememberMs?: number;
  /** How replies are sent. */
  readonly outbox?: Partial<OutboxPolicy>;
}
