import { type AdapterCall, AdapterError, type InboundEvent, type PollResult } from '../../bridge/index.js';
import { eventOf, type Happening, type Words } from './happening.js';
import type { People } from './people.js';
import type { Rest } from './rest.js';
import type { Settled } from './settings.js';
import { type Fields, fieldsOf, idOf, listOf, textOf } from './shape.js';

const PAGE = 50;
const MOST_PAGES = 10;

/**
 * RT numbers a transaction when it begins and shows it when it ends, so a lower number can appear after a
 * higher one. What is younger than this is read again; an event has effect once however often it is told.
 */
const SETTLED_AFTER_MS = 30_000;

const FIELDS = ['Type', 'Field', 'NewValue', 'ObjectId', 'Creator', 'Created'];

/** Neither words among agents nor our own are asked for: nobody here needs them. */
const TYPES = "(Type = 'Correspond' OR Type = 'Status' OR (Type = 'Set' AND Field = 'Owner'))";

/** Looks for what happened in our tickets, in whichever queue they are by now. */
export function createPolling(rest: Rest, people: People, settings: Settled) {
  const ours = `TicketCreator = ${settings.selfId}`;
  const others = `${ours} AND Creator != ${settings.selfId} AND ${TYPES}`;
  /** What was read and is not settled, so that its words are fetched once. */
  let young: ReadonlyMap<string, InboundEvent | null> = new Map();

  const newest = async (call: AdapterCall): Promise<string> => {
    const { items } = await rest.search(
      { what: 'transactions', query: ours, fields: ['Type'], newestFirst: true, limit: 1 },
      call,
    );
    return idOf(items[0]?.id) ?? '0';
  };

  const read = async (item: Fields, call: AdapterCall): Promise<InboundEvent | null> => {
    const happening = await happeningOf(item, rest, people, call);
    return happening && eventOf(happening, settings);
  };

  return async (cursor: string | null, call: AdapterCall): Promise<PollResult> => {
    if (cursor === null) return { events: [], cursor: await newest(call) };
    const events: InboundEvent[] = [];
    let settled = cursorOf(cursor);
    let last = settled;
    let isSettled = true;
    const stillYoung = new Map<string, InboundEvent | null>();
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { items, date } = await rest.search(
        { what: 'transactions', query: `${others} AND id > ${last}`, fields: FIELDS, limit: PAGE },
        call,
      );
      for (const item of items) {
        const id = idOf(item.id);
        if (!id) continue;
        const known = young.get(id);
        const event = known === undefined ? await read(item, call) : known;
        if (event) events.push(event);
        last = id;
        isSettled &&= isOld(item, date);
        if (isSettled) settled = id;
        else stillYoung.set(id, event);
      }
      if (items.length < PAGE) break;
    }
    young = stillYoung;
    return { events, cursor: settled };
  };
}

function isOld({ Created }: Fields, date: number | null): boolean {
  const created = Date.parse(textOf(Created));
  return Number.isNaN(created) || (date ?? Date.now()) - created > SETTLED_AFTER_MS;
}

function cursorOf(cursor: string): string {
  if (/^\d{1,19}$/.test(cursor)) return cursor;
  throw new AdapterError('invalid', 'The place to poll from is not a number of Request Tracker.');
}

async function happeningOf(
  item: Fields,
  rest: Rest,
  people: People,
  call: AdapterCall,
): Promise<Happening | null> {
  const transaction = idOf(item.id);
  const ticket = idOf(item.ObjectId);
  if (!transaction || !ticket) return null;
  const creator = await people(textOf(fieldsOf(item.Creator).id), call);
  const about = { transaction, ticket, creator };
  const value = textOf(item.NewValue);
  if (item.Type === 'Status') return { ...about, what: { kind: 'status', status: value } };
  if (item.Type === 'Set') return { ...about, what: { kind: 'owner', owner: await people(value, call) } };
  const words = await readable(wordsOf(rest, transaction, call), transaction, call);
  return { ...about, what: { kind: 'said', internal: false, words } };
}

/** Words that RT does not give out, or too many of them, must not keep us from all that comes after. */
async function readable(
  reading: Promise<Words | null>,
  transaction: string,
  call: AdapterCall,
): Promise<Words | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof AdapterError) || (error.kind !== 'invalid' && error.kind !== 'gone')) throw error;
    call.log.warn({ err: error, transaction }, 'what an agent wrote cannot be read');
    return null;
  }
}

/** The first plain text of a transaction, else its first HTML; files are left where they are. */
async function wordsOf(rest: Rest, transaction: string, call: AdapterCall): Promise<Words | null> {
  const { body } = await rest(
    {
      method: 'GET',
      path: `/transaction/${transaction}/attachments?fields=ContentType,Filename&per_page=100`,
    },
    call,
  );
  const parts = listOf(body.items).filter(({ Filename }) => textOf(Filename) === '');
  const ofType = (type: string) =>
    parts.find(({ ContentType }) => textOf(ContentType).toLowerCase() === type);
  const part = ofType('text/plain') ?? ofType('text/html');
  const id = idOf(part?.id);
  if (!part || !id) return null;
  const { body: attachment } = await rest({ method: 'GET', path: `/attachment/${id}` }, call);
  return {
    contentType: textOf(part.ContentType),
    text: Buffer.from(textOf(attachment.Content), 'base64').toString('utf8'),
  };
}
