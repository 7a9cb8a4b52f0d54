import type { WebhookEndpoint } from '../protocol/index.js';
import type { PostResult } from '../simulator/sending/index.js';
import type { Session } from './session.js';
import type { Group } from './target.js';

/** What a check found. */
export type Finding =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'fail'; readonly problems: readonly string[] }
  | { readonly verdict: 'not testable'; readonly why: string };

/** One thing that a correct receiver does. */
export interface Check {
  /** A stable name. */
  readonly id: string;
  /** The endpoints it is about; left out when it is about all. */
  readonly group?: Group;
  /** What a correct receiver does, as a sentence that begins with its verb. */
  readonly expects: string;
  /** What to do when this one does not. */
  readonly advice: string;
  readonly run: (session: Session) => Promise<Finding>;
}

/** Nothing to complain of, or everything there is to complain of. */
export function found(problems: readonly (string | null)[]): Finding {
  const real = problems.filter((problem) => problem !== null);
  return real.length === 0 ? { verdict: 'pass' } : { verdict: 'fail', problems: real };
}

/** Why a check cannot be made. */
export function notTestable(why: string): Finding {
  return { verdict: 'not testable', why };
}

const NONE_WORKS = 'no endpoint it is about took a well-formed delivery';

/** Makes a check at each endpoint that works at all. What it finds there is told with the endpoint's name. */
export async function atEach(
  session: Session,
  endpoints: readonly WebhookEndpoint[] | undefined,
  look: (endpoint: WebhookEndpoint) => Promise<readonly (string | null)[]>,
): Promise<Finding> {
  const working = await session.working(endpoints);
  if (working.length === 0) return notTestable(NONE_WORKS);
  const problems: string[] = [];
  for (const endpoint of working) {
    const here = (await look(endpoint)).filter((problem) => problem !== null);
    problems.push(...here.map((problem) => `${endpoint}: ${problem}`));
  }
  return found(problems);
}

/** What is wrong with the answer to something that must be refused; `null` when it was. */
export function refused(what: string, { status, error }: PostResult): string | null {
  if (status !== null && status >= 400 && status < 500) return null;
  const got = status === null ? `no answer (${error ?? 'the connection failed'})` : `HTTP ${status}`;
  return `${what}: ${got}, expected a refusal (4xx)`;
}
