import { describe, expect, it } from 'vitest';
import { REPLY_ABOVE } from '../../../src/adapters/email/reply-text.js';
import { arrive, HEAD, TOKEN, textsOf } from './arrived.js';

const base64 = (bytes: readonly number[] | string): string => Buffer.from(bytes as string).toString('base64');

describe('the reply of an agent', () => {
  it('is an event with its Message-ID, and the name of the agent', async () => {
    const { events } = await arrive([
      ...HEAD,
      'Content-Type: text/plain; charset=utf-8',
      '',
      'It arrives today.',
    ]);
    expect(events).toEqual([
      {
        kind: 'message',
        id: '<reply@example.com>',
        externalId: TOKEN,
        author: { kind: 'agent', name: 'Ann Example' },
        text: 'It arrives today.',
        internal: false,
        messageId: '<reply@example.com>',
      },
    ]);
  });

  it('without a Message-ID is known by its place in the mailbox', async () => {
    const head = HEAD.filter((line) => !line.startsWith('Message-ID'));
    const { events } = await arrive([...head, '', 'Hello']);
    expect(events).toMatchObject([{ id: '1-2', text: 'Hello' }]);
  });

  it.each([
    [
      'UTF-8, quoted-printable',
      'text/plain; charset=utf-8',
      'quoted-printable',
      'Gr=C3=BC=C3=9Fe =E6=BC=A2=E5=AD=\r\n=97',
      'Grüße 漢字',
    ],
    ['UTF-8, base64', 'text/plain; charset="UTF-8"', 'base64', base64('Grüße 👍'), 'Grüße 👍'],
    ['ISO-8859-1', 'text/plain; charset=iso-8859-1', 'quoted-printable', 'Gr=FC=DFe', 'Grüße'],
    ['Windows-1252', 'text/plain; charset=windows-1252', 'quoted-printable', 'It=92s 5 =80', 'It’s 5 €'],
    ['GB18030', 'text/plain; charset=gb18030', 'base64', base64([0xc4, 0xfa, 0xba, 0xc3]), '您好'],
    ['GBK', 'text/plain; charset=gbk', 'base64', base64([0xc4, 0xfa, 0xba, 0xc3]), '您好'],
    ['Big5', 'text/plain; charset=big5', 'base64', base64([0xb1, 0x7a, 0xa6, 0x6e]), '您好'],
    ['ISO-2022-JP', 'text/plain; charset=iso-2022-jp', '7bit', '\u001b$B$O$$\u001b(B', 'はい'],
    ['EUC-KR', 'text/plain; charset=euc-kr', 'base64', base64([0xb3, 0xd7]), '네'],
    ['KOI8-R', 'text/plain; charset=koi8-r', 'base64', base64([0xe4, 0xc1]), 'Да'],
    [
      'format=flowed',
      'text/plain; charset=utf-8; format=flowed',
      '7bit',
      'one long \r\nline\r\nand another',
      'one long line\nand another',
    ],
  ])('is decoded: %s', async (_name, type, encoding, body, text) => {
    const head = [...HEAD, `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`];
    expect(textsOf((await arrive([...head, '', body])).events)).toEqual([text]);
  });

  it.each([
    [
      'Gmail',
      '<div dir="ltr">It <b>arrives</b> today.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Nov 16, 2026 at 10:00 AM Customer wrote:<br></div><blockquote class="gmail_quote">Where?</blockquote></div>',
    ],
    [
      'Outlook',
      '<div class="elementToProof">It arrives today.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Customer<br><b>Sent:</b> Monday</div><div>Where?</div>',
    ],
    [
      'Apple Mail',
      '<html><body>It arrives today.<br><div><br><blockquote type="cite"><div>On 16 Nov 2026, at 10:00, Customer wrote:</div><div>Where?</div></blockquote></div></body></html>',
    ],
    [
      'Thunderbird',
      '<div class="moz-cite-prefix">On 11/16/26 10:00, Customer wrote:<br></div><blockquote type="cite">Where?</blockquote><p>It arrives today.</p>',
    ],
    [
      'QQ Mail',
      '<div>It arrives today.</div><div><includetail><div>------------------&nbsp;原始邮件&nbsp;------------------</div><div>发件人: "Customer"</div></includetail></div>',
    ],
  ])('in HTML alone becomes text: %s', async (_name, html) => {
    const { events } = await arrive([...HEAD, 'Content-Type: text/html; charset=utf-8', '', html]);
    expect(textsOf(events)).toEqual(['It arrives today.']);
  });

  it.each([
    [
      'Foxmail',
      '<div>It arrives today.</div><div>&nbsp;</div><div style="border:none;border-top:solid #B5C4DF 1.0pt"><div style="FONT-SIZE: 12px;BACKGROUND: #efefef"><div><b>发件人：</b>&nbsp;<a href="mailto:handoff@example.com">Customer chat</a></div><div><b>发送时间：</b>&nbsp;2026-11-16&nbsp;10:00</div><div><b>收件人：</b>&nbsp;team</div><div><b>主题：</b>&nbsp;包裹</div></div></div><div>Where?</div>',
    ],
    [
      'Foxmail, all headers in one line',
      '<div>It arrives today.</div><hr><div><b>发件人：</b>&nbsp;Customer chat <b>发送时间：</b>&nbsp;2026-11-16&nbsp;10:00 <b>收件人：</b>&nbsp;team <b>主题：</b>&nbsp;包裹</div><div>Where?</div>',
    ],
    [
      'QQ Mail, in spans',
      '<div>It arrives today.</div><div><span>------------------&nbsp;原始邮件&nbsp;------------------</span><br><span><b>发件人:</b>&nbsp;"Customer chat"&nbsp;&lt;handoff@example.com&gt;;</span><span><b>发送时间:</b>&nbsp;2026年11月16日(星期一) 上午10:00</span></div><div>Where?</div>',
    ],
  ])('in HTML loses the headers of the quoted mail: %s', async (_name, html) => {
    const { events } = await arrive([...HEAD, 'Content-Type: text/html; charset=utf-8', '', html]);
    expect(textsOf(events)).toEqual(['It arrives today.']);
  });

  it.each([
    ['display:none', '<div style="color:red; display : none !important">Hidden <b>words</b></div>'],
    ['visibility:hidden', "<span style='visibility:hidden'>Hidden</span>"],
    ['a style without quotation marks', '<div style=display:none>Hidden</div>'],
    ['mso-hide:all', '<p style="mso-hide:all">Hidden</p>'],
    [
      'a font size of 0',
      '<td style="font-size:0px;line-height:0">Hidden <a href="https://x.example">x</a></td>',
    ],
    ['the attribute hidden', '<div class="x" hidden>Hidden</div>'],
    ['a preheader', '<div class="mail preheader">Hidden</div>'],
    ['a preheader without height', '<div style="max-height:0;overflow:hidden">Hidden</div>'],
    ['tags in comments', '<!--[if mso]><div style="display:none"><![endif]-->'],
    ['within others', '<div style="display:none"><div>Hidden<br></div>Hidden</div>'],
  ])('in HTML has no text that nobody sees: %s', async (_name, hidden) => {
    const html = `${hidden}<p>It arrives today.</p>${hidden}`;
    const { events } = await arrive([...HEAD, 'Content-Type: text/html; charset=utf-8', '', html]);
    expect(textsOf(events)).toEqual(['It arrives today.']);
  });

  it.each([
    [
      'a font size of its own',
      '<table style="font-size:0"><td style="font-size:13px">It arrives today.</td></table>',
    ],
    ['a part of 1', '<div style="opacity:0.9;font-size:0.9em">It arrives today.</div>'],
    ['a comment for Outlook around it', '<!--[if !mso]><!--><p>It arrives today.</p><!--<![endif]-->'],
    ['a hidden element that is not closed', '<div><p style="display:none"><p>It arrives today.</p></div>'],
    ['nothing but a hidden element', '<div style="display:none">It arrives today.</div>'],
    ['nothing but a quote', '<blockquote>It arrives today.</blockquote>'],
  ])('in HTML keeps the words with %s', async (_name, html) => {
    const { events } = await arrive([...HEAD, 'Content-Type: text/html; charset=utf-8', '', html]);
    expect(textsOf(events)).toEqual([expect.stringMatching(/^(> )?It arrives today\.$/)]);
  });

  it('with attachments has a line for each, but not for the images of a signature', async () => {
    const part = (headers: string, body: string): string => `--b\r\n${headers}\r\n\r\n${body}`;
    const { events } = await arrive([
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      part(
        'Content-Type: multipart/related; boundary=r',
        '--r\r\nContent-Type: text/html\r\n\r\n<p>See the bill.</p>\r\n--r\r\nContent-Type: image/png; name=logo.png\r\nContent-ID: <logo>\r\nContent-Disposition: inline\r\n\r\nx\r\n--r--',
      ),
      part(
        "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''Rechnung%20M%C3%A4rz.pdf",
        'x',
      ),
      part(
        'Content-Type: image/jpeg; name="=?gb2312?B?zbzGrC5qcGc=?="\r\nContent-Disposition: attachment',
        'x',
      ),
      '--b--',
    ]);
    expect(textsOf(events)).toEqual([
      'See the bill.\n\n[Attachment: Rechnung März.pdf (application/pdf)]\n[Attachment: 图片.jpg (image/jpeg)]',
    ]);
  });

  it('is taken from the HTML if the plain text is only a footer of a server', async () => {
    const { events } = await arrive([
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b\r\nContent-Type: text/html\r\n\r\n<p>It arrives today.</p>',
      '--b\r\nContent-Type: text/plain\r\n\r\nScanned for viruses.',
      '--b--',
    ]);
    expect(textsOf(events).join()).toContain('It arrives today.');
  });

  it('without words of its own is logged', async () => {
    const { events, log } = await arrive([...HEAD, '', `> ${REPLY_ABOVE}`, '> Where is it?', '']);
    expect(events).toEqual([]);
    expect(log).toContain('no text of its own');
  });
});

describe('the word #close', () => {
  it.each([
    ['#close', [], true],
    ['#close Good bye!', ['Good bye!'], true],
    ['#CLOSE\r\n\r\nGood bye!', ['Good bye!'], true],
    ['＃close', [], true],
    ['Good bye!\r\n\r\n#close', ['Good bye!'], true],
    ['Good bye!\r\n#close\r\n\r\n-- \r\nAnn', ['Good bye!'], true],
    ['Write #close to end it.', ['Write #close to end it.'], false],
    ['#closed yesterday', ['#closed yesterday'], false],
    ['One\r\n#close\r\nTwo', ['One\n#close\nTwo'], false],
  ])('ends the conversation in the first or the last line: %j', async (body, texts, closes) => {
    const { events } = await arrive([...HEAD, 'Content-Type: text/plain; charset=utf-8', '', body]);
    expect(textsOf(events)).toEqual(texts);
    expect(events.filter(({ kind }) => kind === 'closed').map(({ id }) => id)).toEqual(
      closes ? ['<reply@example.com> close'] : [],
    );
    if (closes) expect(events.at(-1)?.kind).toBe('closed');
  });
});

describe('the conversation of a mail', () => {
  const other = 'fedcba9876543210';
  it.each([
    ['In-Reply-To', [`In-Reply-To: <handoff-kit.${TOKEN}.open@example.com>`]],
    [
      'the last of References',
      [
        `References: <handoff-kit.${other}.open@example.com>\r\n <handoff-kit.${TOKEN}.open@example.com> <x@example.com>`,
      ],
    ],
    [
      'In-Reply-To before References',
      [
        `References: <handoff-kit.${other}.open@example.com>`,
        `In-Reply-To: <handoff-kit.${TOKEN}.close@example.com>`,
      ],
    ],
    ['the address', [`Cc: "Team" <handoff+${TOKEN}@example.com>`]],
    ['the address that it was delivered to', [`Delivered-To: handoff+${TOKEN.toUpperCase()}@example.com`]],
    ['the subject', [`Subject: =?utf-8?Q?AW:_Paket_[#${TOKEN}]?=`]],
    ['the subject, behind what the user wrote', [`Subject: Re: Where? [#${other}] [#${TOKEN}]`]],
    [
      'the thread, whatever the subject says',
      [`References: <handoff-kit.${TOKEN}.open@example.com>`, `Subject: [#${other}]`],
    ],
  ])('is found by %s', async (_name, lines) => {
    const head = ['From: ann@example.com', 'Message-ID: <reply@example.com>', ...lines];
    const { events } = await arrive([...head, '', 'Hello'], { replyAddress: 'handoff+{token}@example.com' });
    expect(events).toMatchObject([{ externalId: TOKEN }]);
  });

  it('is nobody’s business if the mail names none', async () => {
    const { events, log } = await arrive(['From: ann@example.com', 'Subject: lunch', '', 'At noon?']);
    expect(events).toEqual([]);
    expect(log).toBe('');
  });
});

describe('a mail that is not the words of an agent', () => {
  it.each([
    ['Auto-Submitted: auto-replied'],
    ['Auto-Submitted: auto-generated (vacation)'],
    ['Precedence: bulk'],
    ['Precedence: auto_reply'],
    ['X-Autoreply: yes'],
    ['X-Autorespond: Out of office'],
    ['X-Auto-Response-Suppress: All'],
    ['X-Autogenerated: Reply'],
    ['X-Auto-Reply: yes'],
    ['X-AutoReply-From: ann@example.com'],
    ['X-Precedence: auto_reply'],
    ['Preference: auto_reply'],
    ['Return-Path: <>'],
    ['List-Id: The team <team.example.com>'],
    ['Precedence: list'],
    ['Content-Type: multipart/report; report-type=disposition-notification; boundary=b'],
  ])('is not passed on: %s', async (line) => {
    const { events, log } = await arrive([line, ...HEAD, '', 'I am on holiday.']);
    expect(events).toEqual([]);
    expect(log).toContain('not passed on');
  });

  it.each([
    ['自动回复：包裹 [#0123456789abcdef]'],
    ['自动答复: Re: parcel'],
    ['自動回覆: parcel'],
    ['自動応答: parcel'],
    ['자동 회신: parcel'],
    ['Automatic reply: Re: parcel'],
    ['Out of Office AutoReply: parcel'],
    ['Out of the office'],
    ['Automatische Antwort: Re: Paket'],
    ['Abwesenheitsnotiz: Paket'],
    ['Réponse automatique : colis'],
    ['Respuesta automática: paquete'],
    ['Risposta automatica: pacco'],
    ['Resposta automática: pacote'],
    ['Automatisch antwoord: pakket'],
    ['Odpowiedź automatyczna: paczka'],
    ['Autosvar: paket'],
    ['Автоматический ответ: посылка'],
    ['[Auto-Reply] parcel'],
    ['【自动回复】包裹'],
  ])('is not passed on with the subject %s', async (subject) => {
    const head = HEAD.map((line) => (line.startsWith('Subject:') ? `Subject: ${subject}` : line));
    const { events, log } = await arrive([...head, '', 'I am on holiday.']);
    expect(events).toEqual([]);
    expect(log).toContain('not passed on');
  });

  it.each([
    ['Re: Automatic reply: parcel'],
    ['AW: Automatische Antwort: Paket'],
    ['回复：自动回复：包裹'],
    ['答复: 自动回复: 包裹'],
    ['Re: 自动回复是什么 [#0123456789abcdef]'],
    ['自动回复是什么 [#0123456789abcdef]'],
    ['Out of office chairs [#0123456789abcdef]'],
    ['“Automatic reply: parcel” [#0123456789abcdef]'],
    ['The automatic reply: how to switch it off'],
  ])('is not one with the subject %s', async (subject) => {
    const head = HEAD.map((line) => (line.startsWith('Subject:') ? `Subject: ${subject}` : line));
    expect(textsOf((await arrive([...head, '', 'Hello'])).events)).toEqual(['Hello']);
  });

  it.each([['Auto-Submitted: no'], ['Precedence: normal'], ['Return-Path: <ann@example.com>']])(
    'is not one that only looks like it: %s',
    async (line) => {
      expect(textsOf((await arrive([line, ...HEAD, '', 'Hello'])).events)).toEqual(['Hello']);
    },
  );

  it('is our own, in a shared inbox or by way of a list', async () => {
    const own = `Message-ID: <handoff-kit.${TOKEN}.open@example.com>`;
    const changed = [`X-Handoff-Kit-Conversation: ${TOKEN}`, 'Message-ID: <changed@ses.example>'];
    for (const lines of [[own], changed]) {
      const { events, log } = await arrive([
        ...lines,
        'From: handoff@example.com',
        `Subject: [#${TOKEN}]`,
        '',
        'Where?',
      ]);
      expect(events).toEqual([]);
      expect(log).toBe('');
    }
  });
});

describe('a bounce', () => {
  const bounce = (action: string, recipient = 'team@example.com'): string[] => [
    'Return-Path: <>',
    'From: Mail Delivery System <Mailer-Daemon@mail.example.com>',
    'Message-ID: <bounce@mail.example.com>',
    'Auto-Submitted: auto-replied',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b\r\nContent-Type: text/plain\r\n\r\nIt could not be delivered.',
    `--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mail.example.com\r\n\r\nAction: ${action}\r\nFinal-Recipient: rfc822;${recipient}\r\nStatus: 5.1.1\r\n`,
    `--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <handoff-kit.${TOKEN}.open@example.com>\r\n`,
    '--b--',
  ];

  it('of a mail to the team ends the conversation, and is an error for the operator', async () => {
    const { events, log } = await arrive(bounce('failed'));
    expect(events).toEqual([
      {
        kind: 'closed',
        id: '<bounce@mail.example.com> bounce',
        externalId: TOKEN,
        author: { kind: 'system', name: null },
      },
    ]);
    expect(log).toContain('did not reach the team');
    expect(log).toContain('5.1.1');
  });

  it('of one of several recipients only alerts the operator', async () => {
    const team = ['team@example.com', 'others@example.com'];
    const { events, log } = await arrive(bounce('failed'), { team });
    expect(events).toEqual([]);
    expect(log).toContain('did not reach the team');
  });

  it('of somebody behind the address of the team only alerts the operator', async () => {
    const { events, log } = await arrive(bounce('failed', 'ben@example.com'));
    expect(events).toEqual([]);
    expect(log).toContain('ben@example.com');
  });

  it('that says "delayed" or "delivered" ends nothing', async () => {
    const delayed = await arrive(bounce('delayed'));
    expect(delayed.events).toEqual([]);
    expect(delayed.log).toContain('delayed');
    expect(await arrive(bounce('delivered'))).toMatchObject({ events: [], log: '' });
  });

  it('belongs to the mail that it returns, whatever the user wrote in it', async () => {
    const typed = 'handoff-kit.fedcba9876543210.open@example.com';
    const returned = (first: string) =>
      `Subject: ${typed}\r\n Message-ID: <${typed}>\r\n${first}\r\n\r\nMessage-ID: <${typed}>`;
    for (const line of [
      `Message-ID:\r\n <handoff-kit.${TOKEN}.open@example.com>`,
      `Message-ID: <changed@ses.example>\r\nX-Handoff-Kit-Conversation: ${TOKEN}`,
    ]) {
      const { events } = await arrive(
        bounce('failed').map((part) => part.replace(/Message-ID: <handoff-kit\S+/, returned(line))),
      );
      expect(events).toMatchObject([{ kind: 'closed', externalId: TOKEN }]);
    }
  });

  it('of another mail is nobody’s business', async () => {
    const others = bounce('failed').map((line) => line.replaceAll('handoff-kit.', 'other.'));
    expect(await arrive(others)).toMatchObject({ events: [], log: '' });
  });
});

describe('a hostile mail', () => {
  const MANY = 300_000;
  it.each([
    ['a long name in To', [`To: ${'a'.repeat(MANY)}`], ''],
    ['long results', [`Authentication-Results: ${'a'.repeat(MANY)}`, `Subject: [#${TOKEN}]`], ''],
    ['tags without end', ['Content-Type: text/html'], '<div '.repeat(MANY / 5)],
    ['quotes without end', ['Content-Type: text/html'], '<blockquote '.repeat(MANY / 12)],
    ['nested quotes', ['Content-Type: text/html'], '<blockquote>'.repeat(MANY / 12)],
    ['hidden elements', ['Content-Type: text/html'], '<div style="display:none">a'.repeat(MANY / 26)],
    ['comments without end', ['Content-Type: text/html'], '<!--'.repeat(MANY / 4)],
    [
      'ends without a beginning',
      ['Content-Type: text/html'],
      `${'<b>'.repeat(MANY / 6)}${'</p>'.repeat(MANY / 8)}`,
    ],
    ['attributes without end', ['Content-Type: text/html'], `<div ${'id="x '.repeat(MANY / 6)}>`],
  ])('does not hold up the others: %s', async (_name, lines, body) => {
    const bounce = ['Return-Path: <>', 'From: postmaster@example.com', ...lines];
    const { events } = await arrive([...bounce, '', body], { trustedServer: 'mx.example.com' });
    expect(events).toEqual([]);
  });
});
