import {
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  asObjects,
  type JsonObject,
} from '../../bridge/index.js';
import { asFlag, asId, asText, type RestClient, type RestResponse } from './rest.js';
import type { CheckedSettings } from './settings.js';

/** Signatures tolerate five minutes; the check warns well before. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Creates `check`: address, token, user, queue, rights, clock, secret. */
export function createCheck(rest: RestClient, settings: CheckedSettings) {
  return async (call: AdapterCall): Promise<readonly AdapterCheckResult[]> => {
    const reached = await asValue(() => rest({ method: 'GET', path: '/rt' }, call));
    if (reached instanceof AdapterError) return [failed('reachable', reached), checkSecret(settings)];
    const version = asText(reached.body.Version) || 'unknown';
    return [
      { name: 'reachable', ok: true, detail: `RT ${version} answers, and accepts the token.` },
      checkClock(reached),
      await checkUser(rest, settings, call),
      ...(await checkQueue(rest, settings, call)),
      checkSecret(settings),
    ];
  };
}

async function checkUser(
  rest: RestClient,
  { selfId }: CheckedSettings,
  call: AdapterCall,
): Promise<AdapterCheckResult> {
  const name = 'user';
  const user = await asValue(() => rest({ method: 'GET', path: `/user/${selfId}` }, call));
  if (user instanceof AdapterError) return failed(name, user);
  const login = asText(user.body.Name);
  if (asFlag(user.body.Privileged)) return { name, ok: true, detail: `Writes as "${login}".` };
  const detail = `"${login}" is not privileged: tick "Let this user be granted rights" at Admin > Users.`;
  return { name, ok: false, detail };
}

async function checkQueue(
  rest: RestClient,
  { queue }: CheckedSettings,
  call: AdapterCall,
): Promise<AdapterCheckResult[]> {
  const path = `/queue/${encodeURIComponent(queue)}`;
  const found = await asValue(() => rest({ method: 'GET', path }, call));
  if (found instanceof AdapterError && found.kind !== 'transient') {
    const detail = `There is no queue "${queue}", or the user of the token lacks SeeQueue ("View queue") there.`;
    return [{ name: 'queue', ok: false, detail }];
  }
  if (found instanceof AdapterError) return [failed('queue', found)];
  const { body } = found;
  if (asFlag(body.Disabled)) return [{ name: 'queue', ok: false, detail: `Queue "${queue}" is disabled.` }];
  return [
    { name: 'queue', ok: true, detail: `Queue "${queue}" exists.` },
    await checkRights(rest, body, call),
  ];
}

/** RT does not list rights, but each record links to the actions that are allowed on it. */
async function checkRights(
  rest: RestClient,
  queue: JsonObject,
  call: AdapterCall,
): Promise<AdapterCheckResult> {
  const name = 'rights';
  const missing = allowedActions(queue).has('create') ? [] : ['CreateTicket'];
  const id = asId(queue.id) ?? '0';
  const found = await asValue(() =>
    rest.search(
      { type: 'tickets', query: `Queue = ${id}`, fields: ['_hyperlinks'], newestFirst: true, limit: 1 },
      call,
    ),
  );
  if (found instanceof AdapterError) return failed(name, found);
  const [ticket] = found.items;
  if (ticket) {
    const actions = allowedActions(ticket);
    if (!actions.has('correspond')) missing.push('ReplyToTicket');
    if (!actions.has('comment')) missing.push('CommentOnTicket');
    if (!actions.has('lifecycle')) missing.push('ModifyTicket');
  }
  if (missing.length > 0) {
    return { name, ok: false, detail: `The user of the token lacks ${missing.join(', ')} in this queue.` };
  }
  const noTicketYet =
    'May create tickets. ShowTicket, ReplyToTicket, CommentOnTicket and ModifyTicket can be checked once there is a ticket.';
  return {
    name,
    ok: true,
    detail: ticket ? 'May create, answer, comment on and resolve tickets.' : noTicketYet,
  };
}

const allowedActions = (record: JsonObject): ReadonlySet<string> =>
  new Set(asObjects(record._hyperlinks).map(({ ref }) => asText(ref)));

function checkClock({ date }: RestResponse): AdapterCheckResult {
  const name = 'clock';
  if (date === null) return { name, ok: true, detail: 'RT sends no Date header.' };
  const seconds = Math.round((Date.now() - date) / 1_000);
  if (Math.abs(seconds) * 1_000 <= CLOCK_TOLERANCE_MS) {
    return { name, ok: true, detail: 'The clocks of RT and this machine agree.' };
  }
  const direction = seconds > 0 ? 'behind' : 'ahead of';
  const detail = `RT's clock is ${Math.abs(seconds)} s ${direction} this machine's; past 300 s its webhooks are refused. Set both clocks by NTP.`;
  return { name, ok: false, detail };
}

function checkSecret({ secrets, pollEveryMs }: CheckedSettings): AdapterCheckResult {
  const name = 'webhook secret';
  if (secrets.length > 0) return { name, ok: true, detail: 'Set. The Scrip must sign with the same secret.' };
  const detail = `Not set, so webhooks are refused and replies are polled every ${pollEveryMs} ms.`;
  return { name, ok: true, detail };
}

const failed = (name: string, error: AdapterError): AdapterCheckResult => ({
  name,
  ok: false,
  detail: error.message,
});

async function asValue<Value>(work: () => Promise<Value>): Promise<Value | AdapterError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterError) return error;
    throw error;
  }
}
