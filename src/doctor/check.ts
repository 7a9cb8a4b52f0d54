import type { WebhookEndpoint } from '../protocol/index.js';
import type { JsonPostResult } from '../simulator/sending/index.js';
import type { DoctorClient } from './client.js';
import type { EndpointGroup } from './target.js';

/** `required` by the specification or the configured credentials; otherwise `advice`. */
export type DoctorLevel = 'required' | 'advice';

export type DoctorFinding =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'fail'; readonly problems: readonly string[] }
  | { readonly verdict: 'not testable'; readonly reason: string };

/** One property of a correct receiver. */
export interface DoctorCheck {
  readonly id: string;
  /** The endpoints it applies to. Default: all. */
  readonly group?: EndpointGroup;
  readonly level: DoctorLevel;
  /** The behaviour of a correct receiver; starts with a verb. */
  readonly expects: string;
  /** What to change if the check fails. */
  readonly advice: string;
  readonly run: (client: DoctorClient) => Promise<DoctorFinding>;
}

/** `pass` if there are no problems, else `fail` with the problems. */
export function findingOf(problems: readonly (string | null)[]): DoctorFinding {
  const actualProblems = problems.filter((problem) => problem !== null);
  return actualProblems.length === 0 ? { verdict: 'pass' } : { verdict: 'fail', problems: actualProblems };
}

/** The check cannot run. */
export function notTestable(reason: string): DoctorFinding {
  return { verdict: 'not testable', reason };
}

const NO_WORKING_ENDPOINT = 'none of its endpoints accepted a well-formed request';

/** Runs a check at each workingEndpoints endpoint. Problems are prefixed with the endpoint's name. */
export async function checkEachEndpoint(
  client: DoctorClient,
  endpoints: readonly WebhookEndpoint[] | undefined,
  run: (endpoint: WebhookEndpoint) => Promise<readonly (string | null)[]>,
): Promise<DoctorFinding> {
  const workingEndpoints = await client.workingEndpoints(endpoints);
  if (workingEndpoints.length === 0) return notTestable(NO_WORKING_ENDPOINT);
  const problems: string[] = [];
  for (const endpoint of workingEndpoints) {
    const endpointProblems = (await run(endpoint)).filter((problem) => problem !== null);
    problems.push(...endpointProblems.map((problem) => `${endpoint}: ${problem}`));
  }
  return findingOf(problems);
}

/** The problem if a request was not refused with 4xx; else `null`. */
export function expectRefusal(what: string, { status, error }: JsonPostResult): string | null {
  if (status !== null && status >= 400 && status < 500) return null;
  const outcome = status === null ? `no answer (${error ?? 'the connection failed'})` : `HTTP ${status}`;
  return `${what}: ${outcome}, expected a refusal (4xx)`;
}
