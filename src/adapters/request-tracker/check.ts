import { type AdapterCall, type AdapterCheckResult, AdapterError } from '../../bridge/index.js';
import type { Rest, RestAnswer } from './rest.js';
import type { Settled } from './settings.js';
import { type Fields, idOf, isSet, listOf, textOf } from './shape.js';

/** A signature is too old after five minutes; a clock that is off by one has most of the way to go. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Looks whether everything is set up: address, token, user, queue, rights, clock, secret. */
export function createCheck(rest: Rest, settings: Settled) {
  return async (call: AdapterCall): Promise<readonly AdapterCheckResult[]> => {
    const reached = await attempt(() => rest({ method: 'GET', path: '/rt' }, call));
    if (reached instanceof AdapterError) return [failed('reachable', reached), secretOf(settings)];
    const version = textOf(reached.body.Version) || 'unknown';
    return [
      { name: 'reachable', ok: true, detail: `RT ${version} answers, and accepts the token.` },
      clockOf(reached),
      await userOf(rest, settings, call),
      ...(await queueOf(rest, settings, call)),
      secretOf(settings),
    ];
  };
}

async function userOf(rest: Rest, { selfId }: Settled, call: AdapterCall): Promise<AdapterCheckResult> {
  const name = 'user';
  const user = await attempt(() => rest({ method: 'GET', path: `/user/${selfId}` }, call));
  if (user instanceof AdapterError) return failed(name, user);
  const login = textOf(user.body.Name);
  if (isSet(user.body.Privileged)) return { name, ok: true, detail: `Writes as "${login}".` };
  const detail = `"${login}" is not privileged: tick "Let this user be granted rights" at Admin > Users.`;
  return { name, ok: false, detail };
}

async function queueOf(rest: Rest, { queue }: Settled, call: AdapterCall): Promise<AdapterCheckResult[]> {
  const path = `/queue/${encodeURIComponent(queue)}`;
  const found = await attempt(() => rest({ method: 'GET', path }, call));
  if (found instanceof AdapterError && found.kind !== 'transient') {
    const detail = `There is no queue "${queue}", or the user of the token lacks SeeQueue ("View queue") there.`;
    return [{ name: 'queue', ok: false, detail }];
  }
  if (found instanceof AdapterError) return [failed('queue', found)];
  const { body } = found;
  if (isSet(body.Disabled)) return [{ name: 'queue', ok: false, detail: `Queue "${queue}" is disabled.` }];
  return [
    { name: 'queue', ok: true, detail: `Queue "${queue}" is there.` },
    await rightsOf(rest, body, call),
  ];
}

/** RT tells no rights, but it offers with each record what may be done with it. */
async function rightsOf(rest: Rest, queue: Fields, call: AdapterCall): Promise<AdapterCheckResult> {
  const name = 'rights';
  const missing = offers(queue).has('create') ? [] : ['CreateTicket'];
  const id = idOf(queue.id) ?? '0';
  const found = await attempt(() =>
    rest.search(
      { what: 'tickets', query: `Queue = ${id}`, fields: ['_hyperlinks'], newestFirst: true, limit: 1 },
      call,
    ),
  );
  if (found instanceof AdapterError) return failed(name, found);
  const [ticket] = found.items;
  if (ticket) {
    const offered = offers(ticket);
    if (!offered.has('correspond')) missing.push('ReplyToTicket');
    if (!offered.has('comment')) missing.push('CommentOnTicket');
    if (!offered.has('lifecycle')) missing.push('ModifyTicket');
  }
  if (missing.length > 0) {
    return { name, ok: false, detail: `The user of the token lacks ${missing.join(', ')} in this queue.` };
  }
  const unseen =
    'May make tickets. Whether it has ShowTicket, ReplyToTicket, CommentOnTicket and ModifyTicket shows once there is a ticket.';
  return { name, ok: true, detail: ticket ? 'May make, answer, comment on and resolve tickets.' : unseen };
}

const offers = (record: Fields): ReadonlySet<string> =>
  new Set(listOf(record._hyperlinks).map(({ ref }) => textOf(ref)));

function clockOf({ date }: RestAnswer): AdapterCheckResult {
  const name = 'clock';
  if (date === null) return { name, ok: true, detail: 'RT does not tell its time.' };
  const seconds = Math.round((Date.now() - date) / 1_000);
  if (Math.abs(seconds) * 1_000 <= CLOCK_TOLERANCE_MS) {
    return { name, ok: true, detail: 'RT and this machine agree about the time.' };
  }
  const direction = seconds > 0 ? 'behind' : 'ahead of';
  const detail = `RT's clock is ${Math.abs(seconds)} s ${direction} this machine's; past 300 s its webhooks are refused. Let both set their clocks by NTP.`;
  return { name, ok: false, detail };
}

function secretOf({ secrets, pollEveryMs }: Settled): AdapterCheckResult {
  const name = 'webhook secret';
  if (secrets.length > 0) return { name, ok: true, detail: 'Set. The Scrip must sign with the same.' };
  const detail = `None is set, so webhooks are not accepted: replies are polled, every ${pollEveryMs} ms.`;
  return { name, ok: true, detail };
}

const failed = (name: string, error: AdapterError): AdapterCheckResult => ({
  name,
  ok: false,
  detail: error.message,
});

async function attempt<Value>(work: () => Promise<Value>): Promise<Value | AdapterError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterError) return error;
    throw error;
  }
}
