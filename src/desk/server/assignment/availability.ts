import { randomUUID } from 'node:crypto';
import type { Log } from '../../../internal/index.js';
import type { AgentView, AvailabilityView } from '../../api.js';
import { createAudit } from '../audit.js';
import { DOCUMENT_KIND, type Document, type DocumentStore } from '../store/index.js';

/**
 * Knows which agents have the desk open, at this or another process, and which of them are away. Each process stores
 * the agents who are connected to it in its own document, so that processes do not conflict.
 */
export interface Availability {
  /** Counts an agent as connected until the returned function is called. */
  connect(agent: string): () => void;
  setAway(agent: AgentView, isAway: boolean): Promise<void>;
  /** The agents who are connected, by id. */
  read(): Promise<readonly AvailabilityView[]>;
  /** Calls back after each change at this process. */
  onChange(listener: () => void): void;
  stop(): void;
}

/** How often a process says that its agents are still connected. */
const REPEAT_MS = 10_000;
/** A process whose document has not changed for this long, by our own clock, is gone, and its agents with it. */
const EXPIRES_MS = 30_000;
/** A document this old when it is first seen was left behind; clocks of processes differ by less. */
const LEFT_BEHIND_MS = 300_000;
/** A reloaded page reconnects within this time, so its agent was not gone. */
const GRACE_MS = 8_000;
const MAX_DOCUMENTS = 1_000;

interface StoredConnections {
  readonly agents: readonly string[];
  readonly at: number;
}

export function createAvailability(store: DocumentStore, log: Log): Availability {
  const audit = createAudit(store);
  const processId = randomUUID();
  /** The number of connections by agent. */
  const connected = new Map<string, number>();
  const listeners: (() => void)[] = [];
  let writing: Promise<void> = Promise.resolve();
  let isStored = false;

  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  const write = async (): Promise<void> => {
    const kind = DOCUMENT_KIND.connection;
    const value: StoredConnections = { agents: [...connected.keys()], at: Date.now() };
    const version = (await store.get(kind, processId))?.version ?? 0;
    await store.write({ put: [{ kind, id: processId, value, version }] });
    isStored = value.agents.length > 0;
  };
  /** Stores who is connected, one write at a time. The next interval makes up for a failed write. */
  const publish = (): Promise<void> => {
    writing = writing
      .then(write)
      .catch((err: unknown) => log.warn({ err }, 'the desk could not store which agents are connected'));
    return writing;
  };
  const timer = setInterval(() => {
    if (isStored || connected.size > 0) void publish();
  }, REPEAT_MS).unref();

  const change = (agent: string, by: number): void => {
    const count = (connected.get(agent) ?? 0) + by;
    const isOther = count === 0 || !connected.has(agent);
    if (count > 0) connected.set(agent, count);
    else connected.delete(agent);
    if (isOther) void publish().then(notify);
  };

  /** The version of each process's document, and since when it has it, by our own clock. */
  const watched = new Map<string, { readonly version: number; readonly since: number }>();
  const isAlive = ({ id, version, value }: Document): boolean => {
    const last = watched.get(id);
    const now = performance.now();
    if (last?.version === version) return now - last.since < EXPIRES_MS;
    const isLeftBehind = (value as StoredConnections).at < Date.now() - LEFT_BEHIND_MS;
    watched.set(id, { version, since: isLeftBehind ? Number.NEGATIVE_INFINITY : now });
    return !isLeftBehind;
  };

  const list = (kind: string) => store.list(kind, { limit: MAX_DOCUMENTS });

  return {
    connect(agent) {
      change(agent, 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        setTimeout(() => change(agent, -1), GRACE_MS).unref();
      };
    },
    async setAway({ id }, isAway) {
      const kind = DOCUMENT_KIND.away;
      const found = await store.get(kind, id);
      if ((found !== null) === isAway) return;
      await store.write({
        ...(isAway ? { put: [{ kind, id, value: {}, version: 0 }] } : { remove: [{ kind, id }] }),
        append: [audit.line(id, 'availability', { before: { isAway: !isAway }, after: { isAway } })],
      });
      notify();
    },
    async read() {
      const connections = (await list(DOCUMENT_KIND.connection)).filter(isAlive);
      const present = new Set(connections.flatMap(({ value }) => (value as StoredConnections).agents));
      const away = new Set((await list(DOCUMENT_KIND.away)).map(({ id }) => id));
      return [...present].sort().map((agent) => ({ agent, isAway: away.has(agent) }));
    },
    onChange: (listener) => void listeners.push(listener),
    stop() {
      clearInterval(timer);
      listeners.length = 0;
    },
  };
}
