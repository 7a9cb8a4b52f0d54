import type { Mail, MailHeaders } from './mail.js';

/** Whether a mail reports on the delivery of another one. */
export function isBounce({ header, from }: MailHeaders): boolean {
  const type = header('content-type') ?? '';
  if (/^multipart\/report\b/i.test(type)) return /report-type="?delivery-status/i.test(type);
  const isFromServer = from.some((address) => /^(mailer-daemon|postmaster)@/i.test(address));
  return header('x-failed-recipients') !== null || (isFromServer && header('return-path') === '<>');
}

/** Programs that do not know the standard, and Exchange's request not to answer, which only programs make. */
const OLD_HEADERS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-mail-autoreply',
  'x-auto-response-suppress',
];

/** Why a mail is not the words of a person; `null` if it may be (RFC 3834). */
export function whyAutomatic({ header }: MailHeaders): string | null {
  const submitted = header('auto-submitted');
  if (submitted !== null && !/^no\b/i.test(submitted)) return 'it is an automatic reply';
  if (/^multipart\/report\b/i.test(header('content-type') ?? '')) return 'it is a report';
  if (header('return-path') === '<>') return 'it has no return path, as automatic mails have';
  const precedence = header('precedence') ?? '';
  if (/^(bulk|junk|auto[_-]?reply)$/i.test(precedence)) return 'it is an automatic reply';
  if (OLD_HEADERS.some((name) => !/^(no|none)?$/i.test(header(name) ?? '')))
    return 'it is an automatic reply';
  const isFromList = header('list-id') !== null || header('list-post') !== null || /^list$/i.test(precedence);
  return isFromList ? 'it came through a mailing list' : null;
}

/** What a bounce says. */
export interface Bounce {
  /** `failed` for good, or `delayed`: the server tries again. */
  readonly action: 'failed' | 'delayed';
  readonly recipients: readonly string[];
  /** Such as `5.1.1`. */
  readonly status: string | null;
}

/** Reads a bounce; `null` for a report of success. */
export function readBounce({ text, header }: Mail): Bounce | null {
  // The parser adds the report to the text.
  const sets = fieldSets(text).filter((fields) => fields['final-recipient'] !== undefined);
  const failed = sets.filter(({ action }) => /^failed$/i.test(action ?? ''));
  const delayed = sets.filter(({ action }) => /^delayed$/i.test(action ?? ''));
  const chosen = failed.length > 0 ? failed : delayed;
  if (sets.length > 0 && chosen.length === 0) return null;
  const listed = (header('x-failed-recipients') ?? '').split(',').map((each) => each.trim().toLowerCase());
  return {
    action: failed.length > 0 || sets.length === 0 ? 'failed' : 'delayed',
    recipients: chosen.length > 0 ? chosen.flatMap(recipientsOf) : listed.filter((each) => each !== ''),
    status: chosen[0]?.status ?? null,
  };
}

function recipientsOf(fields: Readonly<Record<string, string>>): string[] {
  const address = fields['final-recipient']?.split(';').at(-1)?.trim().replace(/^<|>$/g, '');
  return address === undefined || address === '' ? [] : [address.toLowerCase()];
}

/** The fields of a delivery report: sets of lines, separated by blank lines, one for each recipient. */
function fieldSets(text: string): Record<string, string>[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split(/\n{2,}/)
    .map((set) =>
      Object.fromEntries(
        [...set.matchAll(/^([\w-]+):[ \t]*(.*)$/gm)].map(([, name = '', value = '']) => [
          name.toLowerCase(),
          value.trim(),
        ]),
      ),
    )
    .filter((fields) => Object.keys(fields).length > 0);
}
