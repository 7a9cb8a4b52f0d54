import type { ImapFlow } from 'imapflow';
import { type AdapterCall, AdapterError, type InboundEvent, type PollResult } from '../../bridge/index.js';
import type { Mailbox, OpenMailbox } from './imap.js';
import { type ArrivedMail, createReadArrived } from './incoming.js';
import { parseHeaders, parseMail } from './mail.js';
import type { CheckedSettings } from './settings.js';

/** Mails per poll. */
const MAX_MAILS = 100;
/** Of a larger mail the beginning is read, which has the text. */
const MAX_BYTES = 10 * 1_048_576;
/** Tolerated difference between the clocks of the IMAP server and of this machine. */
const CLOCK_TOLERANCE_MS = 300_000;

/**
 * The position in the mailbox: the first UID that was not read. UIDs ascend as long as UIDVALIDITY stays the same; when
 * the server numbers its mails anew, those that arrived since `since` are read again, and the bridge drops repeats by
 * their Message-ID.
 */
interface Cursor {
  readonly validity: string;
  readonly nextUid: number;
  /** When the last mail that was read had arrived, in milliseconds. */
  readonly since: number;
}

/** Creates `poll`. */
export function createPoll(mailbox: Mailbox, settings: CheckedSettings) {
  const readArrived = createReadArrived(settings);
  /** Replies can arrive before the first poll, while the IMAP server is away. */
  const startedAt = Date.now();
  /** The bridge asks from another position when it could not store the events, or when another process has polled. */
  let lastCursor: string | null = null;

  /** A mail that cannot be parsed must not block those behind it. */
  const readOne = async (
    client: ImapFlow,
    uid: number,
    headers: Buffer,
    place: string,
    call: AdapterCall,
  ): Promise<InboundEvent[]> => {
    try {
      return await readArrived(await toArrived(client, uid, headers, place), call.log);
    } catch (error) {
      if (!(error instanceof UnreadableMail)) throw error;
      call.log.error({ mail: place, err: error }, 'a mail could not be read and was skipped');
      return [];
    }
  };

  const readFrom = async (cursor: Cursor, { client }: OpenMailbox, call: AdapterCall) => {
    const events: InboundEvent[] = [];
    let { nextUid, since } = cursor;
    const uids = await uidsFrom(client, nextUid);
    // What was read is kept before the connection reaches its time limit.
    const deadline = performance.now() + settings.timeoutMs;
    let count = 0;
    for (const uid of uids) {
      if (count >= MAX_MAILS || performance.now() > deadline) break;
      const query = { headers: true, internalDate: true } as const;
      const found = await client.fetchOne(String(uid), query, { uid: true });
      // Otherwise deleted meanwhile.
      if (found && found.headers !== undefined) {
        events.push(...(await readOne(client, uid, found.headers, `${cursor.validity}-${uid}`, call)));
        since = Math.max(since, timeOf(found.internalDate));
      }
      nextUid = uid + 1;
      count += 1;
    }
    return { events, cursor: { ...cursor, nextUid, since }, done: count === uids.length };
  };

  return async (text: string | null, call: AdapterCall): Promise<PollResult> => {
    const stored = text === null ? null : parseCursor(text);
    const read = async (open: OpenMailbox): Promise<{ result: PollResult; done: boolean }> => {
      const validity = String(open.mailbox.uidValidity);
      const current =
        stored?.validity === validity ? stored : await positionAt(open, validity, stored?.since ?? startedAt);
      if (stored === null) return { result: { events: [], cursor: formatCursor(current) }, done: false };
      if (current !== stored)
        call.log.warn({ validity }, 'the IMAP server has numbered its mails anew; reading the latest again');
      const { events, cursor, done } = await readFrom(current, open, call);
      return { result: { events, cursor: formatCursor(cursor) }, done };
    };
    const result = await mailbox.whenChanged(read, call, text === null || text !== lastCursor);
    lastCursor = result?.cursor ?? text;
    return result ?? { events: [], cursor: text ?? '' };
  };
}

async function uidsFrom(client: ImapFlow, nextUid: number): Promise<number[]> {
  const found = await client.search({ uid: `${nextUid}:*` }, { uid: true });
  if (!found) throw new AdapterError('transient', 'The IMAP server did not list its mails.');
  // `*` is the last mail, even if it is before the first that was asked for.
  return found.filter((uid) => uid >= nextUid).sort((one, other) => one - other);
}

/** The position of the first mail that arrived since a time. */
async function positionAt(
  { client, mailbox }: OpenMailbox,
  validity: string,
  since: number,
): Promise<Cursor> {
  const from = since - CLOCK_TOLERANCE_MS;
  // IMAP compares days only, in the time zone of the server.
  const days = await client.search({ since: new Date(from - 86_400_000) }, { uid: true });
  let nextUid = mailbox.uidNext;
  if (days && days.length > 0) {
    const range = `${days.reduce(lower)}:*`;
    const dated = await client.fetchAll(range, { uid: true, internalDate: true }, { uid: true });
    const recent = dated.filter(({ internalDate }) => timeOf(internalDate) >= from).map(({ uid }) => uid);
    nextUid = recent.reduce(lower, nextUid);
  }
  return { validity, nextUid, since };
}

async function toArrived(
  client: ImapFlow,
  uid: number,
  headers: Buffer,
  place: string,
): Promise<ArrivedMail> {
  return {
    headers: await readable(parseHeaders(headers)),
    place,
    async read() {
      const query = { size: true, source: { start: 0, maxLength: MAX_BYTES } };
      const found = await client.fetchOne(String(uid), query, { uid: true });
      // Deleted meanwhile: the headers are left.
      const source = found ? (found.source ?? headers) : headers;
      const isComplete = !found || (found.size ?? 0) <= MAX_BYTES;
      return { mail: await readable(parseMail(source)), source, isComplete };
    },
  };
}

const lower = (one: number, other: number): number => Math.min(one, other);

class UnreadableMail extends Error {}

const readable = <Parsed>(parsing: Promise<Parsed>): Promise<Parsed> =>
  parsing.catch((error: unknown) => {
    throw new UnreadableMail('The parser refused the mail.', { cause: error });
  });

const timeOf = (date: Date | string | undefined): number => {
  const time = new Date(date ?? 0).getTime();
  return Number.isNaN(time) ? 0 : time;
};

const formatCursor = ({ validity, nextUid, since }: Cursor): string => `${validity} ${nextUid} ${since}`;

function parseCursor(text: string): Cursor {
  const [, validity, nextUid, since] = /^(\d+) (\d+) (\d+)$/.exec(text) ?? [];
  if (validity === undefined)
    throw new AdapterError('invalid', 'The poll cursor is not one of the e-mail adapter.');
  return { validity, nextUid: Number(nextUid), since: Number(since) };
}
