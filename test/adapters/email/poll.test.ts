import { expect, it } from 'vitest';
import type { Mailbox, OpenMailbox } from '../../../src/adapters/email/imap.js';
import { createPoll } from '../../../src/adapters/email/poll.js';
import { checkSettings } from '../../../src/adapters/email/settings.js';
import { CALL } from '../../fixtures/adapter-session.js';
import { HEAD, SETTINGS, textsOf } from './arrived.js';

/** A mailbox with these UIDs. As IMAP demands, a search for `n:*` finds the last mail even if its UID is lower. */
function mailboxWith(uids: readonly number[]): Mailbox {
  const last = Math.max(...uids);
  const client = {
    async search({ uid: range }: { readonly uid: string }) {
      const from = Math.min(Number.parseInt(range, 10), last);
      return uids.filter((uid) => uid >= from);
    },
    async fetchOne(uid: string) {
      const head = [...HEAD, '', ''].join('\r\n');
      return { headers: Buffer.from(head), source: Buffer.from(`${head}Reply ${uid}`) };
    },
  };
  const open = { client, mailbox: { uidValidity: 1n, uidNext: last + 1 } } as unknown as OpenMailbox;
  return {
    whenChanged: async (task) => (await task(open)).result,
    once: (task) => task(open),
    close() {},
  };
}

it.each([
  ['reads no mail again when none is new', [4, 5], [], '1 6 0'],
  ['reads new mails in the order of their UIDs', [7, 5, 6], ['Reply 6', 'Reply 7'], '1 8 0'],
])('poll %s', async (_what, uids, texts, cursor) => {
  const poll = createPoll(mailboxWith(uids), checkSettings(SETTINGS));
  const result = await poll('1 6 0', CALL);
  expect(textsOf(result.events)).toEqual(texts);
  expect(result.cursor).toBe(cursor);
});
