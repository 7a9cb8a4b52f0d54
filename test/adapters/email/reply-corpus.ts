/** One reply as a mail program writes it. */
export interface ReplySample {
  readonly name: string;
  readonly mail: string;
  readonly reply: string;
}

const MARKER = '##- Write your reply above this line -##';

/** Replies as mail programs write them. Names, addresses and texts are made up; the forms are theirs. */
export const REPLY_CORPUS: readonly ReplySample[] = [
  {
    name: 'Gmail, English',
    mail: `It arrives today.

On Mon, Nov 16, 2026 at 10:00 AM Customer chat <handoff@example.com> wrote:

> ${MARKER}
>
> Where is my parcel?
>
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Gmail, English, attribution wrapped within the address',
    mail: `It arrives today.

On Mon, Nov 16, 2026 at 10:00 AM Customer chat of the Long Company Name <
handoff@example.com> wrote:

> Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Gmail, German, wrapped',
    mail: `Hallo,

es kommt heute.

Am Mo., 16. Nov. 2026 um 10:00 Uhr schrieb Kundenchat <
handoff@example.com>:

> Wo ist mein Paket?
`,
    reply: 'Hallo,\n\nes kommt heute.',
  },
  {
    name: 'Gmail, simplified Chinese',
    mail: `您好，今天送达。

Customer chat <handoff@example.com> 于2026年11月16日周一 10:00写道：

> 我的包裹在哪里？
`,
    reply: '您好，今天送达。',
  },
  {
    name: 'Gmail, traditional Chinese',
    mail: `今天送達。

Customer chat <handoff@example.com> 於 2026年11月16日週一 上午10:00寫道：

> 我的包裹在哪裡？
`,
    reply: '今天送達。',
  },
  {
    name: 'Gmail, Japanese, without a verb',
    mail: `本日届きます。

2026年11月16日(月) 10:00 Customer chat <handoff@example.com>:

> 荷物はどこですか？
`,
    reply: '本日届きます。',
  },
  {
    name: 'Gmail, French',
    mail: `Il arrive aujourd'hui.

Le lun. 16 nov. 2026 à 10:00, Customer chat <handoff@example.com> a écrit :

> Où est mon colis ?
`,
    reply: "Il arrive aujourd'hui.",
  },
  {
    name: 'Gmail, Spanish',
    mail: `Llega hoy.

El lun, 16 nov 2026 a las 10:00, Customer chat (<handoff@example.com>)
escribió:

> ¿Dónde está mi paquete?
`,
    reply: 'Llega hoy.',
  },
  {
    name: 'Gmail, Portuguese',
    mail: `Chega hoje.

Em seg., 16 de nov. de 2026 às 10:00, Customer chat <handoff@example.com>
escreveu:

> Onde está?
`,
    reply: 'Chega hoje.',
  },
  {
    name: 'Gmail, Russian',
    mail: `Сегодня.

пн, 16 нояб. 2026 г. в 10:00, Customer chat <handoff@example.com>:

> Где посылка?
`,
    reply: 'Сегодня.',
  },
  {
    name: 'Gmail, answers between the quoted lines',
    mail: `On Mon, Nov 16, 2026 at 10:00 AM Customer chat <handoff@example.com> wrote:

> Where is my parcel?
>

It is in Hamburg.


> And the bill?
>
>
It is inside the parcel.
`,
    reply: 'It is in Hamburg.\n\nIt is inside the parcel.',
  },
  {
    name: 'Gmail, to the reply of a colleague',
    mail: `I agree with Ann.

On Mon, Nov 16, 2026 at 10:05 AM Ann <ann@example.com> wrote:

> It arrives today.
>
> On Mon, Nov 16, 2026 at 10:00 AM Customer chat <handoff@example.com> wrote:
>
>> Where is my parcel?
>
`,
    reply: 'I agree with Ann.',
  },
  {
    name: 'Outlook for Windows, English, with a signature',
    mail: `Hello,

it arrives today.

Kind regards,
Ann Example
Customer Service

Example Ltd. | 1 Example Street | Example Town
Phone +44 20 7946 0000

From: Customer chat <handoff@example.com>
Sent: Monday, November 16, 2026 10:00 AM
To: Team <team@example.com>
Subject: Where is my parcel? [#0123456789abcdef]

${MARKER}

Where is my parcel?
`,
    reply: 'Hello,\n\nit arrives today.',
  },
  {
    name: 'Outlook for Windows, German',
    mail: `Guten Tag,

es kommt heute.

Mit freundlichen Grüßen
Ann Beispiel

Von: Kundenchat <handoff@example.com>
Gesendet: Montag, 16. November 2026 10:00
An: Team <team@example.com>
Betreff: Wo ist mein Paket?

${MARKER}

Wo ist mein Paket?
`,
    reply: 'Guten Tag,\n\nes kommt heute.',
  },
  {
    name: 'Outlook on the web, English, with a rule',
    mail: `It arrives today.
________________________________
From: Customer chat <handoff@example.com>
Sent: Monday, November 16, 2026 10:00
To: Team <team@example.com>
Subject: Where?

${MARKER}

Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Outlook for Mac, date instead of sent, bold headers',
    mail: `It arrives today.

*From: *Customer chat <handoff@example.com>
*Date: *Monday, 16. November 2026 at 10:00
*To: *Team <team@example.com>
*Subject: *Where?

Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Outlook, simplified Chinese',
    mail: `今天送达。

发件人: Customer chat <handoff@example.com>
发送时间: 2026年11月16日 10:00
收件人: Team <team@example.com>
主题: 包裹

我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'Outlook, a language that is not known, by our own line',
    mail: `Es saapuu tänään.

Feladó: Customer chat <handoff@example.com>
Elküldve: 2026. november 16., hétfő 10:00
Címzett: Team <team@example.com>
Tárgy: Hol van?

${MARKER}

Hol van?
`,
    reply: 'Es saapuu tänään.',
  },
  {
    name: 'Outlook 2003, original message',
    mail: `It arrives today.

-----Original Message-----
From: Customer chat [mailto:handoff@example.com]
Sent: Monday, November 16, 2026 10:00 AM
To: Team
Subject: Where?

Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Outlook, German, original message',
    mail: `Es kommt heute.

-----Ursprüngliche Nachricht-----
Von: Kundenchat <handoff@example.com>
Gesendet: Montag, 16. November 2026 10:00
An: Team
Betreff: Wo?

Wo ist mein Paket?
`,
    reply: 'Es kommt heute.',
  },
  {
    name: 'Outlook for iOS',
    mail: `It arrives today.

Get Outlook for iOS<https://aka.ms/o0ukef>
________________________________
From: Customer chat <handoff@example.com>
Sent: Monday, November 16, 2026 10:00:00 AM
To: Team <team@example.com>
Subject: Where?

Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Apple Mail, English',
    mail: `It arrives today.

> On 16. Nov 2026, at 10:00, Customer chat <handoff@example.com> wrote:
> 
> ${MARKER}
> 
> Where is my parcel?

`,
    reply: 'It arrives today.',
  },
  {
    name: 'Apple Mail, German, attribution without a mark',
    mail: `Es kommt heute.

Am 16.11.2026 um 10:00 schrieb Kundenchat <handoff@example.com>:

> Wo ist mein Paket?
`,
    reply: 'Es kommt heute.',
  },
  {
    name: 'Apple Mail, simplified Chinese',
    mail: `今天送达。

> 在 2026年11月16日，10:00，Customer chat <handoff@example.com> 写道：
> 
> 我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'iPhone, English',
    mail: `It arrives today.

Sent from my iPhone

> On 16 Nov 2026, at 10:00, Customer chat <handoff@example.com> wrote:
> 
> ﻿
> Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'iPhone, German',
    mail: `Es kommt heute.

Von meinem iPhone gesendet

> Am 16.11.2026 um 10:00 schrieb Kundenchat <handoff@example.com>:
> 
> Wo ist mein Paket?
`,
    reply: 'Es kommt heute.',
  },
  {
    name: 'iPhone, simplified Chinese',
    mail: `今天送达。

发自我的iPhone

> 在 2026年11月16日，10:00，Customer chat <handoff@example.com> 写道：
> 
> 我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'Thunderbird, English, reply below the quote, with a signature',
    mail: `On 11/16/26 10:00, Customer chat wrote:
> ${MARKER}
>
> Where is my parcel?

It arrives today.

-- 
Ann Example
Customer Service
`,
    reply: 'It arrives today.',
  },
  {
    name: 'Thunderbird, German, reply below the quote',
    mail: `Am 16.11.26 um 10:00 schrieb Kundenchat:
> Wo ist mein Paket?

Es kommt heute.

-- 
Ann
`,
    reply: 'Es kommt heute.',
  },
  {
    name: 'Thunderbird, French',
    mail: `Il arrive.

Le 16/11/2026 à 10:00, Customer chat a écrit :
> Où est mon colis ?
`,
    reply: 'Il arrive.',
  },
  {
    name: 'Thunderbird, simplified Chinese',
    mail: `今天送达。

在 2026/11/16 10:00, Customer chat 写道:
> 我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'mutt, answers between the quoted lines',
    mail: `On Mon, Nov 16, 2026 at 10:00:00AM +0000, Customer chat wrote:
> Where is my parcel?

It is on its way.

> And the bill?

Inside.

-- 
Ann
`,
    reply: 'It is on its way.\n\nInside.',
  },
  {
    name: 'mutt, German attribution with the name first',
    mail: `* Kundenchat <handoff@example.com> [2026-11-16 10:00]:
> Wo ist mein Paket?

Es kommt heute.
`,
    reply: 'Es kommt heute.',
  },
  {
    name: 'KMail, English',
    mail: `On Monday, 16 November 2026 10:00:00 CET Customer chat wrote:
> Where is my parcel?

It arrives today.
`,
    reply: 'It arrives today.',
  },
  {
    name: 'QQ Mail',
    mail: `今天送达。


------------------&nbsp;原始邮件&nbsp;------------------
发件人:                                                                                                                        "Customer chat"                                                                                    <handoff@example.com>;
发送时间:&nbsp;2026年11月16日(星期一) 上午10:00
收件人:&nbsp;"Team"<team@example.com>;
主题:&nbsp;包裹



我的包裹在哪里？`.replaceAll('&nbsp;', '\u00a0'),
    reply: '今天送达。',
  },
  {
    name: 'NetEase 163, not marked',
    mail: `今天送达。








At 2026-11-16 10:00:00, "Customer chat" <handoff@example.com> wrote:

我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'NetEase 163, Chinese, marked without a space',
    mail: `今天送达。






在 2026-11-16 10:00:00，"Customer chat" <handoff@example.com> 写道：
>我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'NetEase Mail Master',
    mail: `今天送达。

---- 回复的原邮件 ----
| 发件人 | Customer chat<handoff@example.com> |
| 日期 | 2026年11月16日 10:00 |
| 收件人 | team@example.com |
| 主题 | 包裹 |
我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'Foxmail, Chinese',
    mail: `今天送达。



Ann Example
 
发件人： Customer chat
发送时间： 2026-11-16 10:00
收件人： team
主题： 包裹
我的包裹在哪里？
`,
    reply: '今天送达。\n\nAnn Example',
  },
  {
    name: 'Outlook, Japanese',
    mail: `本日届きます。

差出人: Customer chat <handoff@example.com>
送信日時: 2026年11月16日 10:00
宛先: Team <team@example.com>
件名: 荷物

荷物はどこですか？
`,
    reply: '本日届きます。',
  },
  {
    name: 'Yahoo Mail',
    mail: ` It arrives today.

    On Monday, November 16, 2026 at 10:00:00 AM GMT+1, Customer chat <handoff@example.com> wrote:  
 
 ${MARKER}

 Where is my parcel?
`,
    reply: ' It arrives today.',
  },
  {
    name: 'Proton Mail',
    mail: `It arrives today.


Sent with Proton Mail secure email.

On Monday, November 16th, 2026 at 10:00 AM, Customer chat <handoff@example.com> wrote:

> Where is my parcel?
`,
    reply: 'It arrives today.',
  },
  {
    name: 'a new mail without a quote and without a signature',
    mail: 'It arrives today.\n\nPlease write again if it does not.\n',
    reply: 'It arrives today.\n\nPlease write again if it does not.',
  },
  {
    name: 'Foxmail, all headers in one line',
    mail: `今天送达。

发件人： Customer chat 发送时间： 2026-11-16 10:00 收件人： team 主题： 包裹
我的包裹在哪里？
`,
    reply: '今天送达。',
  },
  {
    name: 'a quote of ours only',
    mail: `On Mon, Nov 16, 2026 at 10:00 AM Customer chat <handoff@example.com> wrote:

> ${MARKER}
>
> Where is my parcel?
`,
    reply: '',
  },
  {
    name: 'a quote of ours only, not marked',
    mail: `From: Customer chat <handoff@example.com>
Sent: Monday, November 16, 2026 10:00 AM
To: Team <team@example.com>
Subject: Where is my parcel?

${MARKER}

Where is my parcel?
`,
    reply: '',
  },
  {
    name: 'words that look like a quote, above a quote of ours',
    mail: `At 2026-11-16 10:00, the driver <driver@example.com> wrote:
it is in Berlin

On Mon, Nov 16, 2026 at 10:05 AM Customer chat <handoff@example.com> wrote:

> ${MARKER}
>
> Where is my parcel?
`,
    reply: 'At 2026-11-16 10:00, the driver <driver@example.com> wrote:\nit is in Berlin',
  },
];

/** Replies in which all looks like a quote. */
export const NOTHING_BUT_QUOTES: readonly string[] = [
  'At 2026-11-16 10:00, the driver <driver@example.com> wrote:\n\nit is in Berlin',
  'From: Ann <ann@example.com>\nDate: 16 November\nTo: you\nSubject: Refund\n\nThat is what to look for.',
  '> 5 kg: please use the other form.',
  '-----Original Message-----\nis the line to look for.',
];

/** Words of an agent that look like quotes, headers or signatures, and are none. */
export const PROSE: readonly string[] = [
  'From: what I see here, it left on Monday.\nTo: your question about the bill, yes.',
  'You asked this:\n\nit is in Hamburg.',
  'The opening hours are:\nMon 9:00-17:00\nTue 9:00-17:00',
  'Steps:\n\n1. Open the box -- carefully.\n2. Take out the part.\n-- and that is all --',
  'Best regards to your mother.\n\nThe parcel is on its way.',
  'Please send it to: ann@example.com\nDate: 16 November',
  'a < b and b > a',
  'Cheers is the name of the bar.',
  'On Monday at 10:00 the driver wrote a note. It says that nobody was at home.',
  'Subject: parcel\nis what to write into the form.',
  'I have asked the driver. On Monday, 16 November, he wrote:\nit is in Berlin',
  'Hello,\n\nOn Monday at 10:00 he wrote:\nit is in Berlin',
  'Write a mail like this:\n\nFrom: your address\nTo: billing@example.com\nSubject: Refund\n\nThen wait for the answer.',
  'Your parcel:\nFrom: Berlin\nTo: Hamburg\nDate: 16 November, 10:00\nIt is on time.',
  'Please send these by 16 November to ann@example.com:\nyour name\nyour number',
];
