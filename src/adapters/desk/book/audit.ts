import type { EntryAppend, Shelf } from '../../../delivery/index.js';
import { TOPIC } from './record.js';

/** What was done at the desk, by whom. When is the entry's own time. */
export interface AuditLine {
  /** The agent's id; `null` for somebody who is not logged in. */
  readonly agent: string | null;
  readonly action: string;
  readonly conversationId?: string;
  /** More, such as to whom a conversation was given. Never what people wrote, never a secret. */
  readonly detail?: string;
}

/** Writes down what is done. */
export interface Audit {
  /** A line, to be written together with what it tells of. */
  line(agent: string | null, action: string, more?: Omit<AuditLine, 'agent' | 'action'>): EntryAppend;
  /** Writes a line by itself. */
  note(agent: string | null, action: string, more?: Omit<AuditLine, 'agent' | 'action'>): Promise<void>;
}

/** Makes an {@link Audit}. Lines stay when a conversation is forgotten: they name it, and hold nothing of a person. */
export function createAudit(shelf: Shelf): Audit {
  const line: Audit['line'] = (agent, action, more = {}) => ({
    topic: TOPIC.audit,
    value: { agent, action, ...more } satisfies AuditLine,
  });
  return {
    line,
    async note(agent, action, more) {
      await shelf.write({ append: [line(agent, action, more)] });
    },
  };
}

/** A line with its time. */
export interface AuditEntry extends AuditLine {
  readonly at: Date;
}

/** The last lines, the oldest first. */
export async function readAudit(shelf: Shelf, limit: number): Promise<AuditEntry[]> {
  const entries = await shelf.read({ topics: [TOPIC.audit], before: Number.MAX_SAFE_INTEGER, limit });
  return entries.map(({ at, value }) => ({ ...(value as AuditLine), at }));
}
