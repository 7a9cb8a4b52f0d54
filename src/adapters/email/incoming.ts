import type { InboundEvent } from '../../bridge/index.js';
import type { Log } from '../../internal/index.js';
import { isBounce, readBounce, whyAutomatic } from './automatic.js';
import type { Mail, MailHeaders } from './mail.js';
import { replyText } from './reply-text.js';
import { whyRefused } from './sender.js';
import type { CheckedSettings } from './settings.js';
import { createFindToken, OWN_HEADER, returnedToken, tokensIn } from './thread.js';

/** A mail of the mailbox, whose body is fetched only if it is needed. */
export interface ArrivedMail {
  readonly headers: MailHeaders;
  /** Identifies the mail in the mailbox. */
  readonly place: string;
  /** The whole mail, with its raw source. */
  read(): Promise<{ readonly mail: Mail; readonly source: Buffer; readonly isComplete: boolean }>;
}

/** Creates the function that translates a mail into events; none for mails that are no agent's words to a user. */
export function createReadArrived(settings: CheckedSettings) {
  const findToken = createFindToken(settings);
  const ownName = OWN_HEADER.toLowerCase();

  return async (arrived: ArrivedMail, log: Log): Promise<InboundEvent[]> => {
    const { headers, place } = arrived;
    // Our own mail, in an inbox that we share with the team or by way of a list.
    if (headers.header(ownName) !== null || tokensIn(headers.messageId ?? '').length > 0) return [];
    const externalId = findToken(headers);
    if (isBounce(headers)) return readBounced(arrived, externalId, settings, log);
    if (externalId === null) return [];
    const about = { externalId, from: headers.from, mail: place };
    const automatic = whyAutomatic(headers);
    if (automatic !== null) {
      log.info({ ...about, reason: automatic }, 'a mail was not passed on to the user');
      return [];
    }
    const refused = whyRefused(headers, settings);
    if (refused !== null) {
      log.warn({ ...about, reason: refused }, 'a mail was refused: it may be forged');
      return [];
    }
    return toEvents(externalId, arrived, (reason) =>
      log.warn({ ...about, reason }, 'a mail was not passed on to the user'),
    );
  };
}

async function toEvents(
  externalId: string,
  arrived: ArrivedMail,
  warn: (reason: string) => void,
): Promise<InboundEvent[]> {
  const { mail, isComplete } = await arrived.read();
  const { text: reply, closes } = readCloseCommand(replyText(mail.text));
  const text = [reply, attachmentLines(mail, isComplete)].filter((part) => part !== '').join('\n\n');
  const id = mail.messageId ?? arrived.place;
  const author = { kind: 'agent', name: mail.name } as const;
  const events: InboundEvent[] = [];
  if (text !== '')
    events.push({ kind: 'message', id, externalId, author, text, internal: false, messageId: id });
  if (closes) events.push({ kind: 'closed', id: `${id} close`, externalId, author });
  if (events.length === 0) warn('it has no text of its own that could be read');
  return events;
}

/** Ends the conversation: alone in the first or the last line, or at the beginning of the first. */
const CLOSE = /^[#＃]close\b[ \t.:,!]*/i;

function readCloseCommand(text: string): { readonly text: string; readonly closes: boolean } {
  if (CLOSE.test(text)) return { text: text.replace(CLOSE, '').trim(), closes: true };
  const [, before, last] = /^(.*\n)?([^\n]*)$/s.exec(text.trimEnd()) ?? [];
  if (last === undefined || last.replace(CLOSE, '').trim() !== '' || !CLOSE.test(last))
    return { text, closes: false };
  return { text: (before ?? '').trimEnd(), closes: true };
}

function attachmentLines({ attachments }: Mail, isComplete: boolean): string {
  const lines = attachments.map(
    ({ name, type }) => `[Attachment: ${oneLine(name ?? 'without a name')} (${type})]`,
  );
  if (!isComplete) lines.push('[Attachment: more, in a mail that is too large to be read]');
  return lines.join('\n');
}

/**
 * A bounce of one of our mails: the team does not see this conversation. The operator is told; the user is not left
 * waiting if no other recipient is left. Who has not seen the mail cannot forge its bounce, for want of the token.
 */
async function readBounced(
  arrived: ArrivedMail,
  named: string | null,
  { team }: CheckedSettings,
  log: Log,
): Promise<InboundEvent[]> {
  const { mail, source } = await arrived.read();
  // Few servers name the mail in the headers of the bounce; most only attach it.
  const externalId = named ?? returnedToken(source.toString('latin1'));
  const bounce = externalId === null ? null : readBounce(mail);
  if (externalId === null || bounce === null) return [];
  const { action, recipients, status } = bounce;
  const about = { externalId, recipients, status, mail: arrived.place };
  if (action === 'delayed') {
    log.warn(about, 'a mail to the team is delayed; the mail server tries again');
    return [];
  }
  log.error(about, 'a mail did not reach the team: check the address of the team, and its mailbox');
  // Behind an address of the team there can be several people: if one of them is not reached, others are.
  if (!team.every((address) => recipients.includes(address.toLowerCase()))) return [];
  const id = `${mail.messageId ?? arrived.place} bounce`;
  return [{ kind: 'closed', id, externalId, author: { kind: 'system', name: null } }];
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
