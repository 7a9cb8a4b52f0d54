/** One of the answers to a question. */
export interface Choice {
  readonly name: string;
  /** For the question, and for the README of the new project. */
  readonly title: string;
}

/** The questions of `init`, in the order in which they are asked. The first choice is the default. */
export const QUESTIONS = {
  host: [
    { name: 'express', title: 'on Express' },
    { name: 'fastify', title: 'on Fastify' },
    { name: 'hono', title: 'on Hono' },
    { name: 'next', title: 'in Next.js' },
  ],
  delivery: [
    { name: 'sqlite', title: 'events stored in SQLite' },
    { name: 'postgres', title: 'events stored in PostgreSQL' },
    { name: 'inline', title: 'nothing stored' },
  ],
  adapter: [
    { name: 'none', title: 'users answered in code' },
    { name: 'desk', title: 'agents at the built-in desk' },
    { name: 'slack', title: 'agents in Slack' },
    { name: 'chatwoot', title: 'agents in Chatwoot' },
  ],
} as const satisfies Readonly<Record<string, readonly Choice[]>>;

/** A question of `init`. */
export type Question = keyof typeof QUESTIONS;

/** An answer to each question. */
export type Answers = { readonly [Key in Question]: (typeof QUESTIONS)[Key][number]['name'] };

/** Why the answers cannot be combined; `null` if they can. */
export function conflictOf({ host, delivery, adapter }: Partial<Answers>): string | null {
  if (adapter !== 'desk') return null;
  if (host !== undefined && host !== 'express') {
    return 'the desk is an Express app: choose --host express, or another --adapter.';
  }
  if (delivery === 'inline') {
    return 'the desk keeps its logins in a database: choose --delivery sqlite or postgres, or another --adapter.';
  }
  return null;
}
