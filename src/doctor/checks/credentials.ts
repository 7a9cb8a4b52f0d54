import { type Credentials, credentialHeaders } from '../../simulator/sending/index.js';
import { atEach, type Check, type Finding, notTestable, refused } from '../check.js';
import type { Deviation, Session } from '../session.js';
import { type Group, HANDOFF_ENDPOINTS, headersOf, type Target, urlOf } from '../target.js';

/** A way in that should be closed. */
interface WayIn {
  readonly what: string;
  readonly target: Target;
}

const ENDPOINTS = { message: ['message'], handoff: HANDOFF_ENDPOINTS } as const;

const NOT_PROTECTED: Readonly<Record<Group, string>> = {
  message: 'no credentials were given: if the receiver asks for some, give --username and --secret',
  handoff:
    'no credentials were given: if the receiver asks for some, give --token or --handoff-auth; if it does not, anybody who knows the URL can send',
};

/** Another text of the same length. */
const other = (text: string): string => text.replace(/./gs, (letter) => (letter === 'x' ? 'y' : 'x'));

const hasCredentials = ({ username }: Credentials): boolean => username !== undefined;

/** The credentials of a group with one thing changed, wherever it has any. */
function changed(target: Target, group: Group, change: (secret: string) => string, what: string): WayIn[] {
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

function without(target: Target, group: Group): WayIn[] {
  const inPath = group === 'handoff' && target.token !== undefined;
  return [
    ...(hasCredentials(target[group])
      ? [{ what: 'no Authorization header', target: { ...target, [group]: {} } }]
      : []),
    ...(inPath ? [{ what: 'no token in the path', target: { ...target, token: undefined } }] : []),
  ];
}

async function closed(session: Session, group: Group, waysIn: readonly WayIn[]): Promise<Finding> {
  if (waysIn.length === 0) return notTestable(NOT_PROTECTED[group]);
  return atEach(session, ENDPOINTS[group], async (endpoint) => {
    const problems: (string | null)[] = [];
    for (const { what, target } of waysIn) {
      const deviation: Deviation = { url: urlOf(target, endpoint), headers: headersOf(target, endpoint) };
      problems.push(refused(what, await session.send(endpoint, await session.body(endpoint), deviation)));
    }
    return problems;
  });
}

const ADVICE: Readonly<Record<Group, string>> = {
  message:
    'Refuse with 401 whatever does not carry the exact credentials of the webhook settings, before the body is looked at: Bearer <username>, or Basic where a secret is set.',
  handoff: 'Protect each of the three handoff endpoints, and compare the whole token, in constant time.',
};

const checksOf = (group: Group, noun: string): Check[] => [
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
export const credentialChecks: readonly Check[] = [
  ...checksOf('message', 'messages'),
  {
    id: 'credentials.message.secret',
    group: 'message',
    expects: 'refuses messages with the username alone where a secret is set',
    advice: 'With a secret set, the service sends Basic: refuse Bearer <username>, which anybody may know.',
    run: async (session) => {
      const { username, secret } = session.target.message;
      if (secret === undefined) return notTestable('there is no secret');
      return atEach(session, ['message'], async (endpoint) => {
        const headers = credentialHeaders({ username });
        const answer = await session.send(endpoint, await session.body(endpoint), { headers });
        return [refused('Bearer with the username', answer)];
      });
    },
  },
  ...checksOf('handoff', 'handoff requests'),
];
