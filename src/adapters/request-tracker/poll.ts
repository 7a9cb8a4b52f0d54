import {
  type AdapterCall,
  AdapterError,
  asObject,
  asObjects,
  type ConversationRef,
  type InboundEvent,
  type JsonObject,
  type PollResult,
} from '../../bridge/index.js';
import { asFlag, asId, asText, type RestClient, ticketIdOf } from './rest.js';
import type { CheckedSettings } from './settings.js';
import { type RtContent, type RtTransaction, type RtUser, toInboundEvent } from './transaction.js';

const PAGE_SIZE = 50;
const MAX_PAGES = 10;

/**
 * RT assigns the id of a transaction before it commits, so a lower id can appear after a higher one. The cursor
 * therefore stays behind transactions younger than this, which are read again; the bridge drops repeats.
 */
const SETTLED_AFTER_MS = 30_000;

const FIELDS = ['Type', 'Field', 'NewValue', 'ObjectId', 'Creator', 'Created'];

/** Without comments, which the user never sees. */
const TRANSACTION_TYPES = "(Type = 'Correspond' OR Type = 'Status' OR (Type = 'Set' AND Field = 'Owner'))";

/** Creates `poll` and `catchUp`: they read transactions of our tickets, in whichever queue they are. */
export function createReading(rest: RestClient, settings: CheckedSettings) {
  const findUser = createUserLookup(rest);
  const ourTickets = `TicketCreator = ${settings.selfId}`;
  const byOthers = `${ourTickets} AND Creator != ${settings.selfId} AND ${TRANSACTION_TYPES}`;
  /** Events of young transactions, which are read again: their content is fetched once. */
  let youngEvents: ReadonlyMap<string, InboundEvent | null> = new Map();

  const newestId = async (call: AdapterCall): Promise<string> => {
    const { items } = await rest.search(
      { type: 'transactions', query: ourTickets, fields: ['Type'], newestFirst: true, limit: 1 },
      call,
    );
    return asId(items[0]?.id) ?? '0';
  };

  const toEvent = async (item: JsonObject, call: AdapterCall): Promise<InboundEvent | null> => {
    const transaction = await readTransaction(item, rest, findUser, call);
    return transaction && toInboundEvent(transaction, settings);
  };

  const catchUp = async (
    { externalId }: ConversationRef,
    since: Date,
    call: AdapterCall,
  ): Promise<readonly InboundEvent[]> => {
    const events: InboundEvent[] = [];
    // RT has no milliseconds.
    const sinceMs = Math.floor(since.getTime() / 1000) * 1000;
    let lastId = '0';
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = `${byOthers} AND TicketId = ${ticketIdOf(externalId)} AND id > ${lastId}`;
      const { items } = await rest.search(
        { type: 'transactions', query, fields: FIELDS, limit: PAGE_SIZE },
        call,
      );
      for (const item of items) {
        lastId = asId(item.id) ?? lastId;
        if (Date.parse(asText(item.Created)) < sinceMs) continue;
        const event = await toEvent(item, call);
        if (event) events.push(event);
      }
      if (items.length < PAGE_SIZE) break;
    }
    return events;
  };

  const poll = async (cursor: string | null, call: AdapterCall): Promise<PollResult> => {
    if (cursor === null) return { events: [], cursor: await newestId(call) };
    const events: InboundEvent[] = [];
    let settledId = checkCursor(cursor);
    let lastId = settledId;
    let allSettled = true;
    const stillYoung = new Map<string, InboundEvent | null>();
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { items, date } = await rest.search(
        { type: 'transactions', query: `${byOthers} AND id > ${lastId}`, fields: FIELDS, limit: PAGE_SIZE },
        call,
      );
      for (const item of items) {
        const id = asId(item.id);
        if (!id) continue;
        const known = youngEvents.get(id);
        const event = known === undefined ? await toEvent(item, call) : known;
        if (event) events.push(event);
        lastId = id;
        allSettled &&= isSettled(item, date);
        if (allSettled) settledId = id;
        else stillYoung.set(id, event);
      }
      if (items.length < PAGE_SIZE) break;
    }
    youngEvents = stillYoung;
    return { events, cursor: settledId };
  };

  return { poll, catchUp };
}

function isSettled({ Created }: JsonObject, date: number | null): boolean {
  const created = Date.parse(asText(Created));
  return Number.isNaN(created) || (date ?? Date.now()) - created > SETTLED_AFTER_MS;
}

function checkCursor(cursor: string): string {
  if (/^\d{1,19}$/.test(cursor)) return cursor;
  throw new AdapterError('invalid', 'The poll cursor is not a Request Tracker id.');
}

async function readTransaction(
  item: JsonObject,
  rest: RestClient,
  findUser: FindUser,
  call: AdapterCall,
): Promise<RtTransaction | null> {
  const id = asId(item.id);
  const ticket = asId(item.ObjectId);
  if (!id || !ticket) return null;
  const creator = await findUser(asText(asObject(item.Creator).id), call);
  const base = { id, ticket, creator };
  const value = asText(item.NewValue);
  if (item.Type === 'Status') return { ...base, change: { kind: 'status', status: value } };
  if (item.Type === 'Set') return { ...base, change: { kind: 'owner', owner: await findUser(value, call) } };
  const content = await nullIfUnreadable(readContent(rest, id, call), id, call);
  return { ...base, change: { kind: 'message', internal: false, content } };
}

/** Content that RT withholds, or that is too large, must not block later transactions. */
async function nullIfUnreadable(
  reading: Promise<RtContent | null>,
  transaction: string,
  call: AdapterCall,
): Promise<RtContent | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof AdapterError) || (error.kind !== 'invalid' && error.kind !== 'gone')) throw error;
    call.log.warn(
      { err: error, transaction },
      'the content of a reply could not be read; the reply is skipped',
    );
    return null;
  }
}

/** The first plain text of a transaction, else its first HTML. Attached files are ignored. */
async function readContent(
  rest: RestClient,
  transaction: string,
  call: AdapterCall,
): Promise<RtContent | null> {
  const { body } = await rest(
    {
      method: 'GET',
      path: `/transaction/${transaction}/attachments?fields=ContentType,Filename&per_page=100`,
    },
    call,
  );
  const parts = asObjects(body.items).filter(({ Filename }) => asText(Filename) === '');
  const ofType = (type: string) =>
    parts.find(({ ContentType }) => asText(ContentType).toLowerCase() === type);
  const part = ofType('text/plain') ?? ofType('text/html');
  const id = asId(part?.id);
  if (!part || !id) return null;
  const { body: attachment } = await rest({ method: 'GET', path: `/attachment/${id}` }, call);
  return {
    contentType: asText(part.ContentType),
    text: Buffer.from(asText(attachment.Content), 'base64').toString('utf8'),
  };
}

const MAX_CACHED_USERS = 1_000;
const USER_CACHE_MS = 600_000;

/** Looks up a user by login name or id. */
type FindUser = (nameOrId: string, call: AdapterCall) => Promise<RtUser>;

/** Creates {@link FindUser}, with a cache of ten minutes. */
function createUserLookup(rest: RestClient): FindUser {
  const cache = new Map<string, { readonly user: RtUser; readonly until: number }>();
  return async (nameOrId, call) => {
    const cached = cache.get(nameOrId);
    if (cached && cached.until > Date.now()) return cached.user;
    const { body } = await rest({ method: 'GET', path: `/user/${encodeURIComponent(nameOrId)}` }, call);
    // For other users RT returns a summary, in which the id is part of a link.
    const self = asObjects(body._hyperlinks).find(({ ref }) => ref === 'self');
    const user: RtUser = {
      id: asId(body.id) ?? asId(self?.id) ?? '',
      login: asText(body.Name),
      realName: asText(body.RealName),
      isPrivileged: asFlag(body.Privileged),
    };
    if (cache.size >= MAX_CACHED_USERS) cache.clear();
    cache.set(nameOrId, { user, until: Date.now() + USER_CACHE_MS });
    return user;
  };
}
