import type { PresenceView } from '../api.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';

/** Knows which conversation each agent looks at. It is stored, so that agents at other processes see it. */
export interface Presence {
  set(agent: string, now: Omit<PresenceView, 'agent'>): Promise<void>;
  /** Who is there, by agent. */
  read(): Promise<readonly PresenceView[]>;
}

interface StoredPresence extends Omit<PresenceView, 'agent'> {
  readonly at: number;
}

/** Pages say every 25 seconds that they are still there; an older entry is of a browser that is gone. */
const EXPIRES_MS = 60_000;
const MAX_AGENTS = 1_000;

/** Creates {@link Presence}. `onChange` is called after each change here. */
export function createPresence(store: DocumentStore, onChange: () => void): Presence {
  const kind = DOCUMENT_KIND.presence;
  return {
    async set(agent, { conversation, isTyping }) {
      const found = await store.get(kind, agent);
      const value: StoredPresence = { conversation, isTyping, at: Date.now() };
      // When another tab of the agent is faster, its word counts.
      await store.write({ put: [{ kind, id: agent, value, version: found?.version ?? 0 }] });
      onChange();
    },
    async read() {
      const oldest = Date.now() - EXPIRES_MS;
      const documents = await store.list(kind, { limit: MAX_AGENTS });
      return documents
        .map(({ id, value }) => ({ agent: id, ...(value as StoredPresence) }))
        .filter(({ at, conversation }) => at > oldest && conversation !== null)
        .map(({ agent, conversation, isTyping }) => ({ agent, conversation, isTyping }))
        .sort((a, b) => (a.agent < b.agent ? -1 : 1));
    },
  };
}
