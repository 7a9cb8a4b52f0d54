import type { ParsedMail } from 'mailparser';
import { mailHtmlToText } from './mail-html.js';
import type { SenderHeaders } from './sender.js';
import type { ThreadHeaders } from './thread.js';

/** The headers of a mail. */
export interface MailHeaders extends ThreadHeaders, SenderHeaders {
  readonly messageId: string | null;
  /** The name in the `From` line. */
  readonly name: string | null;
  /** The value of a header by its lower-case name, unfolded; of several, the topmost. */
  readonly header: (name: string) => string | null;
}

/** Parses the headers of a mail. */
export async function parseHeaders(source: Buffer): Promise<MailHeaders> {
  const { simpleParser } = await import('mailparser');
  return toHeaders(await simpleParser(source, PARSER_OPTIONS));
}

/** A whole mail. */
export interface Mail extends MailHeaders {
  /** The text without markup; with the quoted mail and the signature. */
  readonly text: string;
  /** Attached files. Images within the text are not among them. */
  readonly attachments: readonly MailAttachment[];
}

/** An attached file. */
export interface MailAttachment {
  readonly name: string | null;
  readonly type: string;
}

/** No reply is longer. */
const MAX_TEXT = 1_000_000;

const PARSER_OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
} as const;

/** Parses a mail in any encoding. A mail that is cut off is parsed as far as it goes. */
export async function parseMail(source: Buffer): Promise<Mail> {
  const { simpleParser } = await import('mailparser');
  const parsed = await simpleParser(source, PARSER_OPTIONS);
  return {
    ...toHeaders(parsed),
    text: textOf(parsed, source),
    attachments: parsed.attachments
      .filter(({ related, cid }) => !(related && cid !== undefined))
      .map(({ filename, contentType }) => ({ name: filename ?? null, type: contentType })),
  };
}

function toHeaders({ headerLines, from, messageId, subject }: ParsedMail): MailHeaders {
  const all = (name: string): string[] =>
    headerLines
      .filter(({ key }) => key === name)
      .map(({ line }) =>
        line
          .slice(line.indexOf(':') + 1)
          .replace(/\r?\n[ \t]/g, ' ')
          .trim(),
      );
  const header = (name: string): string | null => all(name)[0] ?? null;
  const froms = all('from');
  return {
    header,
    messageId: messageId ?? null,
    name: from?.value[0]?.name?.trim() || null,
    // More than one line: a mail program may show the other one.
    from: froms.length === 1 ? (from?.value.flatMap(({ address }) => address ?? []) ?? []) : froms,
    authenticationResults: all('authentication-results'),
    inReplyTo: header('in-reply-to') ?? '',
    references: all('references').join(' '),
    recipients: ['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to'].flatMap((name) =>
      all(name).flatMap((line) => line.split(/[\s<>,;:"()]+/).filter((part) => part.includes('@'))),
    ),
    subject: subject ?? '',
  };
}

/**
 * The plain text, as the mail program wrote it. A mail without one is converted from HTML: so is one in which the
 * plain text is not an alternative but a part of its own, such as a footer that a server has added.
 */
function textOf({ text, html }: ParsedMail, source: Buffer): string {
  const hasAlternative = /^content-type:\s*multipart\/alternative/im.test(source.toString('latin1'));
  if (!html || (text !== undefined && text.trim() !== '' && hasAlternative))
    return (text ?? '').slice(0, MAX_TEXT);
  return mailHtmlToText(html.slice(0, MAX_TEXT));
}
