/** One of the answers to a question. */
export interface Choice {
  readonly name: string;
  /** For the question, and for the README of the new project. */
  readonly title: string;
}

/** The questions of `init`, in the order in which they are asked. The first choice is the default. */
export const QUESTIONS = {
  language: [
    { name: 'ts', title: 'in TypeScript' },
    { name: 'js', title: 'in JavaScript' },
  ],
  host: [
    { name: 'express', title: 'on Express' },
    { name: 'fastify', title: 'on Fastify' },
    { name: 'hono', title: 'on Hono' },
    { name: 'koa', title: 'on Koa' },
    { name: 'nest', title: 'in NestJS' },
    { name: 'next', title: 'in Next.js' },
    { name: 'lambda', title: 'on AWS Lambda' },
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

/** Projects for an adapter of one's own, which have neither a server nor a delivery. The first is the default. */
export const ADAPTER_PROJECTS = [
  { name: 'minimal', title: 'the smallest adapter' },
  { name: 'full', title: 'with catchUp in pages, undelivered, and errors by status' },
] as const satisfies readonly Choice[];

/** The answers for a project with an adapter. */
export interface AdapterAnswers {
  readonly language: Answers['language'];
  readonly adapter: (typeof ADAPTER_PROJECTS)[number]['name'];
}

/** Why the answers cannot be combined; `null` if they can. */
export function conflictOf({
  host = 'express',
  delivery,
  adapter = 'none',
}: Partial<Answers>): string | null {
  if (host === 'lambda' && delivery === 'sqlite') {
    return "a function's files are lost with its instance: choose --delivery postgres or inline, or another --host.";
  }
  if (host === 'lambda' && adapter !== 'none') {
    return 'a function is frozen between requests, and agents need a process that runs: choose --adapter none, or another --host.';
  }
  if (adapter !== 'desk') return null;
  if (host !== 'express' && host !== 'nest') {
    return 'the desk is an Express app: choose --host express or nest, or another --adapter.';
  }
  if (delivery === 'inline') {
    return 'the desk keeps its logins in a database: choose --delivery sqlite or postgres, or another --adapter.';
  }
  return null;
}
