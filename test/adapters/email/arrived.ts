import { createReadArrived } from '../../../src/adapters/email/incoming.js';
import { parseHeaders, parseMail } from '../../../src/adapters/email/mail.js';
import { checkSettings, type EmailSettings } from '../../../src/adapters/email/settings.js';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { logLines } from '../../helpers/log-lines.js';

export const SETTINGS: EmailSettings = {
  smtpUrl: 'smtps://handoff:secret@mail.example.com',
  imapUrl: 'imaps://handoff:secret@mail.example.com',
  address: 'handoff@example.com',
  team: 'team@example.com',
  agents: ['@example.com'],
  trustedServer: null,
};

export const TOKEN = '0123456789abcdef';

/** The beginning of a mail of Ann to our conversation. */
export const HEAD = [
  'From: Ann Example <ann@example.com>',
  'To: handoff@example.com',
  'Message-ID: <reply@example.com>',
  `In-Reply-To: <handoff-kit.${TOKEN}.open@example.com>`,
  'Subject: Re: parcel',
  'MIME-Version: 1.0',
];

/** Reads a raw mail as if it had arrived. */
export async function arrive(
  raw: string | Buffer | readonly string[],
  changes: Partial<EmailSettings> = {},
): Promise<{ readonly events: readonly InboundEvent[]; readonly log: string }> {
  const source = Buffer.isBuffer(raw) ? raw : Buffer.from([raw].flat().join('\r\n'), 'utf8');
  const logged = logLines();
  const read = createReadArrived(checkSettings({ ...SETTINGS, ...changes }));
  const headers = await parseHeaders(source.subarray(0, headEnd(source)));
  const mail = await parseMail(source);
  const arrived = { headers, place: '1-2', read: async () => ({ mail, source, isComplete: true }) };
  return { events: await read(arrived, logged.log), log: logged.text() };
}

const headEnd = (source: Buffer): number => {
  const end = source.indexOf('\r\n\r\n');
  return end < 0 ? source.length : end + 4;
};

/** The texts of the messages among events. */
export const textsOf = (events: readonly InboundEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'message' ? event.text : []));
