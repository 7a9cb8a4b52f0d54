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

/** A way in that should be closed. */
interface WayIn {
  readonly what: string;
  readonly target: ReceiverTarget;
}

const ENDPOINTS = { message: ['message'], handoff: HANDOFF_ENDPOINTS } as const;

const NOT_PROTECTED: Readonly<Record<EndpointGroup, string>> = {
  message: 'no credentials were given: if the receiver asks for some, give --username and --secret',
  handoff:
    'no credentials were given: if the receiver asks for some, give --token or --handoff-auth; if it does not, anybody who knows the URL can send',
};

/** Another text of the same length. */
const other = (text: string): string => text.replace(/./gs, (letter) => (letter === 'x' ? 'y' : 'x'));

const hasCredentials = ({ username }: WebhookCredentials): boolean => username !== undefined;

/** The credentials of a group with one thing changed, wherever it has any. */
function changed(
  target: ReceiverTarget,
  group: EndpointGroup,
  change: (secret: string) => string,
  what: string,
): WayIn[] {
  const credentials = target[group];
  const { username = '', secret } = credentials;
  const wrong = secret === undefined ? { username: change(username) } : { username, secret: change(secret) };
  const inPath = group === 'handoff' && target.token !== undefined;
  return [
    ...(hasCredentials(credentials)
      ? [{ what: `${what} in the header`, target: { ...target, [group]: wrong } }]
      : []),
    ...(inPath
      ? [{ what: `${what} in the path`, target: { ...target, token: change(target.token ?? '') } }]
      : []),
  ];
}

function without(target: ReceiverTarget, group: EndpointGroup): WayIn[] {
  const inPath = group === 'handoff' && target.token !== undefined;
  return [
    ...(hasCredentials(target[group])
      ? [{ what: 'no Authorization header', target: { ...target, [group]: {} } }]
      : []),
    ...(inPath ? [{ what: 'no token in the path', target: { ...target, token: undefined } }] : []),
  ];
}

async function closed(
  session: DoctorClient,
  group: EndpointGroup,
  waysIn: readonly WayIn[],
): Promise<DoctorFinding> {
  if (waysIn.length === 0) return notTestable(NOT_PROTECTED[group]);
  return checkEachEndpoint(session, ENDPOINTS[group], async (endpoint) => {
    const problems: (string | null)[] = [];
    for (const { what, target } of waysIn) {
      const deviation: RequestOverrides = {
        url: endpointUrl(target, endpoint),
        headers: endpointHeaders(target, endpoint),
      };
      problems.push(
        expectRefusal(what, await session.send(endpoint, await session.createBody(endpoint), deviation)),
      );
    }
    return problems;
  });
}

const ADVICE: Readonly<Record<EndpointGroup, string>> = {
  message:
    'Refuse with 401 whatever does not carry the exact credentials of the webhook settings, before the body is looked at: Bearer <username>, or Basic where a secret is set.',
  handoff: 'Protect each of the three handoff endpoints, and compare the whole token, in constant time.',
};

const checksOf = (group: EndpointGroup, noun: string): DoctorCheck[] => [
  {
    id: `credentials.${group}.missing`,
    group,
    expects: `refuses ${noun} without credentials`,
    advice: ADVICE[group],
    run: (session) => closed(session, group, without(session.target, group)),
  },
  {
    id: `credentials.${group}.wrong`,
    group,
    expects: `refuses ${noun} with wrong credentials`,
    advice: ADVICE[group],
    run: (session) => closed(session, group, changed(session.target, group, other, 'something else')),
  },
  {
    id: `credentials.${group}.near`,
    group,
    expects: `refuses ${noun} with credentials that are nearly right`,
    advice: 'Compare the whole of both, not whether one begins with, ends with or holds the other.',
    run: (session) =>
      closed(session, group, [
        ...changed(session.target, group, (secret) => `${secret}x`, 'a letter too many'),
        ...changed(session.target, group, (secret) => secret.slice(0, -1), 'a letter too few'),
      ]),
  },
];

/** Who is let in. */
export const credentialChecks: readonly DoctorCheck[] = [
  ...checksOf('message', 'messages'),
  {
    id: 'credentials.message.secret',
    group: 'message',
    expects: 'refuses messages with the username alone where a secret is set',
    advice: 'With a secret set, the service sends Basic: refuse Bearer <username>, which anybody may know.',
    run: async (session) => {
      const { username, secret } = session.target.message;
      if (secret === undefined) return notTestable('there is no secret');
      return checkEachEndpoint(session, ['message'], async (endpoint) => {
        const headers = credentialHeaders({ username });
        const answer = await session.send(endpoint, await session.createBody(endpoint), { headers });
        return [expectRefusal('Bearer with the username', answer)];
      });
    },
  },
  ...checksOf('handoff', 'handoff requests'),
];
