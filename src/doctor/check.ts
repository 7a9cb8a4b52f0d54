import type { WebhookEndpoint } from '../protocol/index.js';
import type { JsonPostResult } from '../simulator/sending/index.js';
import type { DoctorClient } from './client.js';
import type { EndpointGroup } from './target.js';

/** What a check found. */
export type DoctorFinding =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'fail'; readonly problems: readonly string[] }
  | { readonly verdict: 'not testable'; readonly why: string };

/** One thing that a correct receiver does. */
export interface DoctorCheck {
  /** A stable name. */
  readonly id: string;
  /** The endpoints it is about; left out when it is about all. */
  readonly group?: EndpointGroup;
  /** What a correct receiver does, as a sentence that begins with its verb. */
  readonly expects: string;
  /** What to do when this one does not. */
  readonly advice: string;
  readonly run: (session: DoctorClient) => Promise<DoctorFinding>;
}

/** Nothing to complain of, or everything there is to complain of. */
export function findingOf(problems: readonly (string | null)[]): DoctorFinding {
  const real = problems.filter((problem) => problem !== null);
  return real.length === 0 ? { verdict: 'pass' } : { verdict: 'fail', problems: real };
}

/** Why a check cannot be made. */
export function notTestable(why: string): DoctorFinding {
  return { verdict: 'not testable', why };
}

const NONE_WORKS = 'no endpoint it is about took a well-formed delivery';

/** Makes a check at each endpoint that works at all. What it finds there is told with the endpoint's name. */
export async function checkEachEndpoint(
  session: DoctorClient,
  endpoints: readonly WebhookEndpoint[] | undefined,
  look: (endpoint: WebhookEndpoint) => Promise<readonly (string | null)[]>,
): Promise<DoctorFinding> {
  const working = await session.workingEndpoints(endpoints);
  if (working.length === 0) return notTestable(NONE_WORKS);
  const problems: string[] = [];
  for (const endpoint of working) {
    const here = (await look(endpoint)).filter((problem) => problem !== null);
    problems.push(...here.map((problem) => `${endpoint}: ${problem}`));
  }
  return findingOf(problems);
}

/** What is wrong with the answer to something that must be refused; `null` when it was. */
export function expectRefusal(what: string, { status, error }: JsonPostResult): string | null {
  if (status !== null && status >= 400 && status < 500) return null;
  const got = status === null ? `no answer (${error ?? 'the connection failed'})` : `HTTP ${status}`;
  return `${what}: ${got}, expected a refusal (4xx)`;
}
