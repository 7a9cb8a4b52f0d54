import type { Shelf } from '../../delivery/index.js';
import type { AgentView, CannedReply } from './api.js';
import { createAudit } from './book/audit.js';
import { KIND } from './book/record.js';

/** Replies kept for later use, by all agents. */
export interface Canned {
  list(): Promise<readonly CannedReply[]>;
  /** Replaces the list; the last who does so wins. */
  save(agent: AgentView, replies: readonly CannedReply[]): Promise<void>;
}

const ID = 'canned';

/** What a new desk begins with. */
const FIRST: readonly CannedReply[] = [
  { id: 'hello', title: 'Hello', text: 'Hello, this is {agent}. How can I help you?' },
  { id: 'moment', title: 'One moment', text: 'One moment please, I am looking into it.' },
  { id: 'goodbye', title: 'Goodbye', text: 'Thank you for writing to us. Goodbye!' },
];

/** Makes {@link Canned}. */
export function createCanned(shelf: Shelf): Canned {
  const audit = createAudit(shelf);
  return {
    async list() {
      const doc = await shelf.get(KIND.settings, ID);
      return (doc?.value as readonly CannedReply[] | undefined) ?? FIRST;
    },
    async save(agent, replies) {
      for (;;) {
        const version = (await shelf.get(KIND.settings, ID))?.version ?? 0;
        const written = await shelf.write({
          put: [{ kind: KIND.settings, id: ID, value: replies, version }],
          append: [audit.line(agent.id, 'canned replies', { detail: `${replies.length}` })],
        });
        if (written) return;
      }
    },
  };
}
