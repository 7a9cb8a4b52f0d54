import { credentialHeaders, type WebhookCredentials } from '../../simulator/sending/index.js';
import {
  checkEachEndpoint,
  type DoctorCheck,
  type DoctorFinding,
  expectRefusal,
  notTestable,
} from '../check.js';
import type { DoctorClient, RequestOverrides } from '../client.js';
import {
  type EndpointGroup,
  endpointHeaders,
  endpointUrl,
  HANDOFF_ENDPOINTS,
  type ReceiverTarget,
} from '../target.js';

/** A target with wrong credentials, which the receiver should refuse. */
interface WrongCredentials {
  readonly what: string;
  readonly target: ReceiverTarget;
}

const ENDPOINTS = { message: ['message'], handoff: HANDOFF_ENDPOINTS } as const;

const NOT_PROTECTED: Readonly<Record<EndpointGroup, string>> = {
  message:
    'no credentials were given: if the receiver requires some, pass --webhook-username and --webhook-secret',
  handoff:
    'no credentials were given: if the receiver requires some, pass --handoff-token or --handoff-auth; if it does not, anyone who knows the URL can send',
};

/** Different, with the same length. */
const scramble = (text: string): string => text.replace(/./gs, (letter) => (letter === 'x' ? 'y' : 'x'));

const hasCredentials = ({ username }: WebhookCredentials): boolean => username !== undefined;

/** Variants of a target with one group's credentials changed, in the header and in the path. */
function withChangedCredentials(
  target: ReceiverTarget,
  group: EndpointGroup,
  change: (secret: string) => string,
  what: string,
): WrongCredentials[] {
  const credentials = target[group];
  const { username = '', secret } = credentials;
  const wrongCredentials =
    secret === undefined ? { username: change(username) } : { username, secret: change(secret) };
  const hasPathToken = group === 'handoff' && target.token !== undefined;
  return [
    ...(hasCredentials(credentials)
      ? [{ what: `${what} in the header`, target: { ...target, [group]: wrongCredentials } }]
      : []),
    ...(hasPathToken
      ? [{ what: `${what} in the path`, target: { ...target, token: change(target.token ?? '') } }]
      : []),
  ];
}

function withoutCredentials(target: ReceiverTarget, group: EndpointGroup): WrongCredentials[] {
  const hasPathToken = group === 'handoff' && target.token !== undefined;
  return [
    ...(hasCredentials(target[group])
      ? [{ what: 'no Authorization header', target: { ...target, [group]: {} } }]
      : []),
    ...(hasPathToken ? [{ what: 'no token in the path', target: { ...target, token: undefined } }] : []),
  ];
}

async function expectRefused(
  client: DoctorClient,
  group: EndpointGroup,
  variants: readonly WrongCredentials[],
): Promise<DoctorFinding> {
  if (variants.length === 0) return notTestable(NOT_PROTECTED[group]);
  return checkEachEndpoint(client, ENDPOINTS[group], async (endpoint) => {
    const problems: (string | null)[] = [];
    for (const { what, target } of variants) {
      const overrides: RequestOverrides = {
        url: endpointUrl(target, endpoint),
        headers: endpointHeaders(target, endpoint),
      };
      problems.push(
        expectRefusal(what, await client.send(endpoint, await client.createBody(endpoint), overrides)),
      );
    }
    return problems;
  });
}

const ADVICE: Readonly<Record<EndpointGroup, string>> = {
  message:
    'Answer 401 unless the request carries the exact credentials of the webhook settings, and check them before the body: Bearer <username>, or Basic if a secret is set.',
  handoff: 'Protect each of the three handoff endpoints, and compare the whole token in constant time.',
};

const credentialChecksOf = (group: EndpointGroup, noun: string): DoctorCheck[] => [
  {
    id: `credentials.${group}.missing`,
    level: 'required',
    group,
    expects: `refuses ${noun} without credentials`,
    advice: ADVICE[group],
    run: (client) => expectRefused(client, group, withoutCredentials(client.target, group)),
  },
  {
    id: `credentials.${group}.wrong`,
    level: 'required',
    group,
    expects: `refuses ${noun} with wrong credentials`,
    advice: ADVICE[group],
    run: (client) =>
      expectRefused(
        client,
        group,
        withChangedCredentials(client.target, group, scramble, 'a different value'),
      ),
  },
  {
    id: `credentials.${group}.near`,
    level: 'required',
    group,
    expects: `refuses ${noun} with almost correct credentials`,
    advice: 'Compare for equality, not with startsWith, endsWith or includes.',
    run: (client) =>
      expectRefused(client, group, [
        ...withChangedCredentials(client.target, group, (secret) => `${secret}x`, 'one character too many'),
        ...withChangedCredentials(
          client.target,
          group,
          (secret) => secret.slice(0, -1),
          'one character too few',
        ),
      ]),
  },
];

export const credentialChecks: readonly DoctorCheck[] = [
  ...credentialChecksOf('message', 'messages'),
  {
    id: 'credentials.message.secret',
    level: 'required',
    group: 'message',
    expects: 'refuses messages with the username alone if a secret is set',
    advice:
      'With a secret, the platform sends Basic. Refuse Bearer <username>, because usernames are not secret.',
    run: async (client) => {
      const { username, secret } = client.target.message;
      if (secret === undefined) return notTestable('no secret was given');
      return checkEachEndpoint(client, ['message'], async (endpoint) => {
        const headers = credentialHeaders({ username });
        const answer = await client.send(endpoint, await client.createBody(endpoint), { headers });
        return [expectRefusal('Bearer with the username', answer)];
      });
    },
  },
  ...credentialChecksOf('handoff', 'handoff requests'),
];
