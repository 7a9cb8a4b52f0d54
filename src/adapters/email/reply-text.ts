/**
 * Cuts a reply down to what its author wrote: without the quoted mail, and without the signature.
 *
 * Mail programs quote in two ways. Those of the first kind put `>` before each quoted line, below a line such as
 * "On Monday Ann wrote:"; text may follow a quote. Those of the second kind, such as Outlook, repeat the mail below
 * its headers without marking its lines; then everything below is quoted.
 *
 * The best package for this, email-reply-parser, recognises half of the mails in our tests.
 *
 * @module
 */

/** Stands at the beginning of our mails, so that the beginning of an unmarked quote is known in any language. */
export const REPLY_ABOVE = '##- Write your reply above this line -##';

/**
 * What the author of a mail wrote. Where nothing would be left, less is cut: an agent can write what looks like a
 * quote. Empty when the mail has only a signature, or only a quote of ours.
 */
export function replyText(mail: string): string {
  const lines = mail.replace(/\r\n?/g, '\n').replaceAll('\u2028', '\n').split('\n');
  const words = wordsOf(lines.slice(0, startOfUnmarkedQuote(lines)));
  if (words !== '') return words;
  const ours = lines.findIndex((line) => line.includes(REPLY_ABOVE));
  const isMarked = QUOTED.test(lines[ours] ?? '');
  const aboveOurs = wordsOf(ours < 0 || isMarked ? lines : lines.slice(0, aboveHeaders(lines, ours)));
  const isQuoteOfOthers = ours < 0 && lines.some((line) => QUOTED.test(line));
  return aboveOurs === '' && isQuoteOfOthers ? tidy(lines) : aboveOurs;
}

const wordsOf = (lines: readonly string[]): string => tidy(withoutSignature(withoutQuotes(lines)));

const tidy = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\s*\n/, '')
    .trimEnd();

const QUOTED = /^\s{0,3}>/;
const isBlank = (line: string | undefined): boolean =>
  line === undefined || line.replaceAll('\u200b', '').trim() === '';

/** For comparisons: mail programs use all kinds of spaces, and some mark headers bold with asterisks. */
const plain = (line: string | undefined): string =>
  (line ?? '')
    .replace(/[\s\u00a0\u200b\u202f]+/g, ' ')
    .replaceAll('*', '')
    .trim();

// The second kind of quote

/** The headers of a quoted mail, by language: en, de, fr, es, it, pt, nl, pl, sv/da/nb, fi, cs, tr, ru, zh, ja, ko. */
const HEADER_NAMES = {
  from: 'from|von|de|da|van|od|från|fra|lähettäjä|gönderen|kimden|от|от кого|发件人|寄件者|寄件人|發件人|差出人|送信者|보낸 사람|보낸사람',
  sent: 'sent|date|gesendet|datum|envoyé|date d’envoi|enviado(?: el)?|enviada(?: em)?|fecha|inviato|data|verzonden|wysłano|skickat|sendt|dato|lähetetty|odesláno|gönderilme|tarih|отправлено|дата|发送时间|发送日期|日期|時間|时间|寄件日期|傳送日期|發送時間|送信日時|日時|보낸 날짜|날짜',
  to: 'to|an|à|pour|para|a|aan|do|till|til|vastaanottaja|komu|kime|alıcı|кому|收件人|收件者|宛先|받는 사람|받는사람',
  subject:
    'subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|ämne|emne|aihe|předmět|konu|тема|主题|主題|主旨|件名|제목',
} as const;

/** At the beginning of a line, or behind another header: Foxmail can have all of them in one line. */
const headerPattern = (names: string): RegExp => new RegExp(`(?:^|\\s)(?:${names}) ?[:：]`, 'i');
const HEADERS = {
  from: headerPattern(HEADER_NAMES.from),
  sent: headerPattern(HEADER_NAMES.sent),
  to: headerPattern(HEADER_NAMES.to),
  subject: headerPattern(HEADER_NAMES.subject),
} as const;

/** Any header, in any language: a short name, a colon and a value. */
const ANY_HEADER = /^\p{L}[^:：\n]{0,24}[:：]/u;

const ORIGINAL_MESSAGE =
  /^[-_—=]{2,} ?(?:original (?:message|appointment)|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|original-?nachricht|message d['’]origine|message original|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|wiadomość oryginalna|ursprungligt meddelande|oprindelig meddelelse|original ?melding|исходное сообщение|原始邮件|原始郵件|原邮件|回复的原邮件|元のメッセージ|원본 메일|원본 메시지) ?[-_—=]{0,}$/i;

const RULE = /^[-_—=*]{5,}$/;

/** The index from which on everything is quoted; the number of lines when there is no such quote. */
function startOfUnmarkedQuote(lines: readonly string[]): number {
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (QUOTED.test(line)) continue;
    if (line.includes(REPLY_ABOVE) || ORIGINAL_MESSAGE.test(plain(line)) || isHeaderBlock(lines, index)) {
      return aboveHeaders(lines, index);
    }
    if (isUnmarkedAttribution(lines, index)) return index;
  }
  return lines.length;
}

/**
 * "On Monday Ann <ann@example.com> wrote:" above lines that are not marked. Mail programs that do not mark
 * quotes include the address; a person quoting somebody in a sentence does not.
 */
function isUnmarkedAttribution(lines: readonly string[], index: number): boolean {
  const length = attributionLength(lines, index);
  const text = lines.slice(index, index + length).join(' ');
  return (
    WROTE.test(text) && ADDRESS.test(text) && !QUOTED.test(lines[nextText(lines, index + length)] ?? '>')
  );
}

/**
 * A sender and a date within six lines, the first header here, and the others as well or an address of the sender:
 * prose does not have that.
 */
function isHeaderBlock(lines: readonly string[], index: number): boolean {
  const first = plain(lines[index]);
  if (!Object.values(HEADERS).some((pattern) => first.search(pattern) === 0)) return false;
  const near = lines
    .slice(index, index + 12)
    .filter((line) => !isBlank(line))
    .slice(0, 6)
    .map(plain);
  const has = (pattern: RegExp, value: RegExp): boolean =>
    near.some((line) => pattern.test(line) && value.test(line.slice(line.search(pattern))));
  const hasTo = has(HEADERS.to, /./);
  const hasSubject = has(HEADERS.subject, /./);
  const hasOthers = has(HEADERS.from, /@/) ? hasTo || hasSubject : hasTo && hasSubject;
  return hasOthers && has(HEADERS.from, /./) && has(HEADERS.sent, /\d/);
}

/** Moves up from the beginning of a quote over what belongs to it: headers, rules, and blank lines. */
function aboveHeaders(lines: readonly string[], start: number): number {
  let index = start;
  for (;;) {
    const above = previousText(lines, index);
    const line = plain(lines[above]);
    if (above >= 0 && (RULE.test(line) || ORIGINAL_MESSAGE.test(line))) index = above;
    else if (above >= 0 && isHeaderBlockEndingAt(lines, above)) index = startOfHeaders(lines, above);
    else {
      const length = [3, 2, 1].find(
        (size) => above - size + 1 >= 0 && attributionLength(lines, above - size + 1) === size,
      );
      if (length === undefined) return index;
      index = above - length + 1;
    }
  }
}

/** In a language that is not listed: three or more lines in a row that look like headers, one with an address. */
function isHeaderBlockEndingAt(lines: readonly string[], end: number): boolean {
  const block = lines.slice(startOfHeaders(lines, end), end + 1);
  return block.length >= 3 && block.some((line) => line.includes('@'));
}

function startOfHeaders(lines: readonly string[], end: number): number {
  let index = end + 1;
  while (index > 0 && ANY_HEADER.test(plain(lines[index - 1]))) index -= 1;
  return index;
}

// The first kind of quote

/** Verbs of "Ann wrote", and what stands for it where there is no verb. */
const WROTE =
  /wrote|writes|schrieb|geschrieben|écrit|escribió|ha scritto|scrisse|escreveu|schreef|pisze|napisał|skrev|kirjoitti|napsal|yazdı|yazmış|пишет|написал|пише|写道|寫道|寫了|書きました|のメッセージ|작성|写到|于.*写/i;

const ADDRESS = /<?[^\s<>@]+@[^\s<>@]+>?/;

const MAX_ATTRIBUTION = 300;

/**
 * The number of lines of an attribution that begins here, or 0. It is one to three lines long, ends with a colon, has
 * a time, and says who wrote, by a verb or an address. Neither order nor language matter.
 */
function attributionLength(lines: readonly string[], index: number): number {
  if (isBlank(lines[index]) || QUOTED.test(lines[index] ?? '')) return 0;
  let joined = '';
  for (let length = 1; length <= 3; length += 1) {
    const line = lines[index + length - 1];
    if (isBlank(line) || QUOTED.test(line ?? '')) return 0;
    joined = `${joined} ${plain(line)}`.trim();
    if (joined.length > MAX_ATTRIBUTION) return 0;
    if (!/[:：]$/.test(joined)) continue;
    const hasTime = /\d{1,4}[./:年-]\s?\d{1,2}|\d{1,2}\.? \p{L}{3,}|\p{L}{3,}\.? \d{1,2},/u.test(joined);
    const hasAuthor = WROTE.test(joined) || ADDRESS.test(joined);
    return hasTime && hasAuthor ? length : 0;
  }
  return 0;
}

/** Removes marked lines and the attributions above them. Text between and below quotes stays. */
function withoutQuotes(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    if (QUOTED.test(lines[index] ?? '')) continue;
    const length = attributionLength(lines, index);
    if (length > 0 && QUOTED.test(lines[nextText(lines, index + length)] ?? '')) index += length - 1;
    else kept.push(lines[index] ?? '');
  }
  return kept;
}

// Signatures

/** Lines that end a letter. Only whole lines count. */
const SIGN_OFF =
  /^(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)?(?: and )?(?:best|kind)? ?regards|best wishes|all the best|cheers|sincerely|yours (?:sincerely|truly|faithfully)|mit (?:freundlichen|besten|herzlichen|lieben|vielen) grüßen|mit (?:freundlichem|bestem) gru(?:ß|ss)|mit freundlichen gruessen|(?:viele|beste|schöne|liebe|herzliche|freundliche) grü(?:ß|ss)e|mfg|vg|lg|(?:bien )?cordialement|bien à vous|(?:un )?saludos?(?: cordiales)?|atentamente|cordiali saluti|distinti saluti|atenciosamente|met vriendelijke groet(?:en)?|z poważaniem|pozdrawiam|med vänliga hälsningar|med venlig hilsen|с уважением|此致|敬礼|此致敬礼|祝好|顺祝商祺|顺颂商祺|谢谢！?此致|よろしくお願い(?:いた|致)します。?|감사합니다\.?)[,，.!！]?$/i;

/** What programs add below a mail. */
const SENT_FROM =
  /^(?:\(?sent from (?:my |mail for|outlook|yahoo|proton|gmail)|sent with (?:proton|superhuman)|get outlook for|von meinem .+ gesendet|gesendet (?:von|mit|aus) |envoyé (?:de mon|depuis|à partir)|télécharger outlook|enviado (?:desde|do meu)|obtener outlook|inviato da|verzonden vanaf|verstuurd vanaf|wysłane z|skickat från|sendt fra|отправлено с|发自我的|發自我的|从我的.{0,20}发送|從我的.{0,20}(?:傳送|發送)|来自.{0,12}的邮件|發送自|获取 ?outlook|iphoneから送信|나의 .+에서 보냄)/i;

/** A signature is not longer: what follows a delimiter beyond that is text. */
const MAX_SIGNATURE_LINES = 15;

function withoutSignature(lines: readonly string[]): string[] {
  const hasAtMost = (most: number, from: number): boolean => {
    let found = 0;
    for (let index = from; index < lines.length && found <= most; index += 1)
      if (!isBlank(lines[index])) found += 1;
    return found <= most;
  };
  const end = lines.findIndex((line, index) => {
    if (line === '-- ') return true;
    if (line === '--' || line === '—') return hasAtMost(MAX_SIGNATURE_LINES, index + 1);
    if (SENT_FROM.test(plain(line))) return hasAtMost(2, index + 1);
    return (
      SIGN_OFF.test(plain(line)) && hasAtMost(MAX_SIGNATURE_LINES, index + 1) && hasTextBefore(lines, index)
    );
  });
  const kept = end < 0 ? [...lines] : lines.slice(0, end);
  return hasTextBefore(kept, kept.length) || end < 0 ? withoutTrailingRule(kept) : [];
}

function withoutTrailingRule(lines: readonly string[]): string[] {
  const last = previousText(lines, lines.length);
  return last >= 0 && RULE.test(plain(lines[last])) ? lines.slice(0, last) : [...lines];
}

const hasTextBefore = (lines: readonly string[], end: number): boolean => previousText(lines, end) >= 0;

/** The index of the last line with text above `index`, or -1. */
function previousText(lines: readonly string[], index: number): number {
  return lines.findLastIndex((line, at) => at < index && !isBlank(line));
}

/** The index of the first line with text from `index` on, or the number of lines. */
function nextText(lines: readonly string[], index: number): number {
  let at = index;
  while (at < lines.length && isBlank(lines[at])) at += 1;
  return at;
}
