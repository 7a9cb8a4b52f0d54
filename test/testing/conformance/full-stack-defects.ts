import { AdapterError } from '../../../src/bridge/index.js';
import {
  api,
  changingEvents,
  changingInboundText,
  changingList,
  changingOutboundText,
  type Defects,
  digest,
  droppingLateEvents,
  escaped,
  failingSecondClose,
  forgettingOnRestart,
  givingUpOnConversations,
  isMessage,
  latin1,
  newId,
  oneLine,
  openingInBackground,
  reportedAs,
  resendingSlowMessages,
  sendingInTurn,
  withoutEmoji,
} from './defect-tools.js';

const genuine = () => 'genuine' as const;
const randomIds = changingEvents((event) => ({ ...event, id: newId() }));
const neverFinds = () => ({ find: async () => null });
const neverCloses = () => ({ close: async () => {} });

/** A defect for each check that uses the full stack. */
export const FULL_STACK_DEFECTS: Defects = {
  'open-twice': {
    name: 'open creates two conversations',
    failure: /the helpdesk has 2 conversations/,
    change: (good) => ({
      async open(session, call) {
        await good.open({ ...session, key: `${session.key}-draft` }, call);
        return good.open(session, call);
      },
    }),
  },
  'lost-open': {
    name: 'find always returns null',
    failure: /the helpdesk has 2 conversations/,
    change: neverFinds,
  },
  'chat-before-open': {
    name: 'open does not wait for the helpdesk',
    failure: /I could not wait/,
    change: (good) => openingInBackground(good),
  },
  'placeholder-email': {
    name: 'customers are identified by e-mail address',
    failure: /both users are customer support@example.com/,
    change: (_good, site) => ({
      async open({ key, user }, call) {
        const json = { reference: key, customer: user.email, text: 'hello' };
        const { body } = await api(site)({ method: 'POST', path: '/cases', json }, call);
        return { externalId: String(Object(body).id) };
      },
    }),
  },
  restart: {
    name: 'conversations of an earlier process are unknown',
    failure: /After the restart/,
    change: (good) => forgettingOnRestart(good, 'send'),
  },
  'two-processes': {
    name: 'ids of events differ between processes',
    failure: /"From both\.", "From both\."/,
    change(good) {
      const process = newId();
      return changingEvents((event) => ({ ...event, id: `${process} ${event.id}` }))(good);
    },
  },
  'no-agent': {
    name: 'a timeout does not close the conversation',
    failure: /the agents to see that the conversation has ended/,
    change: (good) => ({
      close: async (ref, reason, call) =>
        reason.by === 'timeout' ? undefined : good.close(ref, reason, call),
    }),
  },
  'own-echo': {
    name: 'every author is an agent',
    failure: /First message/,
    change: changingEvents((event) => ({
      ...event,
      author: { kind: 'agent', name: null },
      ...(isMessage(event) && { messageId: null }),
    })),
  },
  'same-words': [
    {
      name: 'ids are derived from the text',
      failure: /instead of "Yes\.", "Yes\."/,
      change: changingEvents((event) => (isMessage(event) ? { ...event, id: digest(event.text) } : event)),
    },
    {
      name: 'send takes an equal text for a repetition',
      failure: /the agents to see "Yes\." \(2 of 2\)/,
      change(good) {
        const sent = new Map<string, ReturnType<typeof good.send>>();
        return {
          send(ref, message, call) {
            const sending = sent.get(message.text) ?? good.send(ref, message, call);
            sent.set(message.text, sending);
            return sending;
          },
        };
      },
    },
    {
      name: 'replies of one character are dropped',
      failure: /the user received "Yes\.", "Yes\.", "Good bye\." instead of/,
      change: changingEvents((event) => (isMessage(event) && event.text.length === 1 ? null : event)),
    },
  ],
  'internal-note': [
    {
      name: 'notes are not internal',
      failure: /This user is difficult/,
      change: changingEvents((event) => (isMessage(event) ? { ...event, internal: false } : event)),
    },
    {
      name: 'long notes are not internal',
      failure: /This note among agents is long/,
      change: changingEvents((event) =>
        isMessage(event) && event.text.length > 2_000 ? { ...event, internal: false } : event,
      ),
    },
  ],
  attachment: [
    {
      name: 'files are dropped',
      failure: /the user to receive "invoice-4711\.pdf"/,
      change: changingEvents((event) => (isMessage(event) ? { ...event, attachments: [] } : event)),
    },
    {
      name: 'the second file is dropped',
      failure: /of two files, parse returned "invoice-4711\.pdf"\./,
      change: changingEvents((event) =>
        isMessage(event) ? { ...event, attachments: event.attachments?.slice(0, 1) ?? [] } : event,
      ),
    },
  ],
  reordered: {
    name: 'events before the newest one are taken for repeats',
    failure: /the user to receive "Reply 1 of 3\."/,
    change: droppingLateEvents,
  },
  duplicate: {
    name: 'ids are random',
    failure: /"I say this once\.", "I say this once\."/,
    change: randomIds,
  },
  forged: {
    name: 'verify accepts every request',
    failure: /was answered 200/,
    change: () => ({ verify: genuine }),
  },
  stale: {
    name: 'verify accepts every request',
    failure: /was answered 200/,
    change: () => ({ verify: genuine }),
  },
  'unknown-conversation': {
    name: 'parse refuses conversations that this instance has not opened',
    failure: /was answered 400/,
    change(good) {
      const mine = new Set<string>();
      return {
        async open(session, call) {
          const opened = await good.open(session, call);
          mine.add(opened.externalId);
          return opened;
        },
        parse(request) {
          const parsed = good.parse(request);
          const isMine = parsed.events.every(({ externalId }) => mine.has(externalId));
          if (!isMine) throw new AdapterError('invalid', 'an unknown conversation.');
          return parsed;
        },
      };
    },
  },
  'user-closes': { name: 'close does nothing', failure: /conversation has ended/, change: neverCloses },
  'agent-closes': {
    name: 'parse drops closes',
    failure: /the platform to see that the agent has closed/,
    change: changingEvents((event) => (event.kind === 'closed' ? null : event)),
  },
  'reply-then-close': {
    name: 'the close is reported first',
    failure: /"Last words\."/,
    change: (good) => ({ parse: (request) => ({ events: good.parse(request).events.toReversed() }) }),
  },
  'close-race': {
    name: 'close fails after an agent',
    failure: /answered 500|to see that the conversation is closed/,
    change: failingSecondClose,
  },
  'after-close': {
    name: 'close sends a message afterwards, which reopens the case',
    failure: /conversation has ended|open again/,
    change: (good) => ({
      async close(ref, reason, call) {
        await good.close(ref, reason, call);
        await good.send(ref, { key: newId(), text: reason.text, sentAt: null }, call);
      },
    }),
  },
  'catch-up': [
    {
      name: 'ids of catchUp differ from those of webhooks',
      failure: /catchUp listed the ids/,
      catchesUp: true,
      change: changingList((listed) => listed.map((event) => ({ ...event, id: `listed ${event.id}` }))),
    },
    {
      name: "catchUp lists messages of the adapter as an agent's",
      failure: /"Reply 3 of 3\." as messages of agents/,
      catchesUp: true,
      change: changingList((listed) =>
        listed.map((event) => ({ ...event, author: { kind: 'agent', name: 'Ada' } })),
      ),
    },
    {
      name: 'catchUp has no files',
      failure: /with the files none instead of "invoice-4711\.pdf"/,
      catchesUp: true,
      change: changingList((listed) =>
        listed.map((event) => (isMessage(event) ? { ...event, attachments: [] } : event)),
      ),
    },
    {
      name: 'catchUp has no names of agents',
      failure: /with the name "null" instead of "Ada"/,
      catchesUp: true,
      change: changingList((listed) =>
        listed.map((event) => ({ ...event, author: { ...event.author, name: null } })),
      ),
    },
  ],
  'catch-up-close': {
    name: 'catchUp lists messages alone',
    failure: /catchUp listed 0 events of kind "closed"/,
    catchesUp: true,
    change: changingList((listed) => listed.filter(isMessage)),
  },
  'catch-up-close-id': {
    name: 'the id of a close differs in catchUp',
    failure: /catchUp listed the close as "closed" instead of/,
    catchesUp: true,
    change: changingList((listed) =>
      listed.map((event) => (event.kind === 'closed' ? { ...event, id: 'closed' } : event)),
    ),
  },
  'catch-up-notes': {
    name: 'catchUp forgets which messages are internal',
    failure: /listed the note without internal: true/,
    catchesUp: true,
    change: changingList((listed) =>
      listed.map((event) => (isMessage(event) ? { ...event, internal: false } : event)),
    ),
  },
  'catch-up-pages': [
    {
      name: 'catchUp reads two pages',
      failure: /catchUp to list 53 replies \(listed: 50\)/,
      catchesUp: true,
      change: changingList((listed) => listed.filter(({ author }) => author.kind === 'agent').slice(0, 50)),
    },
    {
      name: 'catchUp lists the newest 30',
      failure: /catchUp to list 53 replies \(listed: 30\)/,
      catchesUp: true,
      change: changingList((listed) => listed.slice(-30)),
    },
  ],
  'overtaking-close': {
    name: 'catchUp lists nothing of a closed conversation',
    failure: /the user to receive "Reply 2 of 3\."/,
    catchesUp: true,
    change: changingList((listed) => (listed.some(({ kind }) => kind === 'closed') ? [] : listed)),
  },
  'reply-order': {
    name: 'catchUp lists the newest first',
    failure: /the user received "Reply 3 of 3\."/,
    catchesUp: true,
    change: changingList((listed) => listed.toReversed()),
  },
  'missed-events': {
    name: 'catchUp lists the newest event only',
    failure: /the user received "Reply 1 of 3\.", "Reply 3 of 3\."/,
    catchesUp: true,
    change: changingList((listed) => listed.slice(-1)),
  },
  undelivered: [
    {
      name: 'the note is a message of the user, which opens a closed conversation',
      failure: /the conversation is open again/,
      change: (good) => ({
        async undelivered(ref, { text }, _reason, call) {
          await good.send(ref, { key: newId(), text, sentAt: null }, call);
        },
      }),
    },
    {
      name: 'agents are told of the first reply only',
      failure: /that "Reply 2 of 3\." was not delivered/,
      change(good) {
        const told = new Set<string>();
        return {
          async undelivered(ref, message, reason, call) {
            if (!told.has(ref.externalId)) await good.undelivered?.(ref, message, reason, call);
            told.add(ref.externalId);
          },
        };
      },
    },
  ],
  'rate-limit-honoured': {
    name: '429 is reported as invalid',
    failure: /One moment, please/,
    change: reportedAs('rate-limited', 'invalid'),
  },
  outage: {
    name: 'an outage is reported as invalid',
    failure: /One of three/,
    change: reportedAs('transient', 'invalid'),
  },
  'slow-answer': {
    name: 'a message without an answer in half a second is sent again',
    failure: /the agents see "Are you slow today\?" 2 times/,
    change: resendingSlowMessages,
  },
  'refused-message': {
    name: 'a conversation with a refused message takes no more',
    failure: /the agents to see "This one is accepted\."/,
    change: givingUpOnConversations,
  },
  'failing-message': {
    name: 'a conversation is given up after a failed message',
    failure: /the agents to see "This one does not\."/,
    change: givingUpOnConversations,
  },
  'failing-close': {
    name: 'close hides its failure',
    failure: /the agents to see "It could not be closed here/,
    change: (good) => ({ close: (ref, reason, call) => good.close(ref, reason, call).catch(() => {}) }),
  },
  'hanging-elsewhere': {
    name: 'messages of all conversations are sent one after another',
    failure: /the agents to see "This one does not\."/,
    change: sendingInTurn,
  },
  'refused-told': {
    name: 'refused credentials are reported as an outage',
    failure: /the log to report refused credentials/,
    change: reportedAs('auth', 'transient'),
  },
  'html-to-agents': { name: 'text is escaped', failure: /Is 5 < 6/, change: changingOutboundText(escaped) },
  'html-to-user': { name: 'text is escaped', failure: /Is 5/, change: changingInboundText(escaped) },
  'emoji-to-agents': {
    name: 'emoji are dropped',
    failure: /Thanks/,
    change: changingOutboundText(withoutEmoji),
  },
  'emoji-to-user': {
    name: 'emoji are dropped',
    failure: /Thanks/,
    change: changingInboundText(withoutEmoji),
  },
  'cjk-to-agents': { name: 'text is Latin-1', failure: /您好/, change: changingOutboundText(latin1) },
  'cjk-to-user': { name: 'text is Latin-1', failure: /您好/, change: changingInboundText(latin1) },
  'rtl-to-agents': { name: 'text is Latin-1', failure: /שלום/, change: changingOutboundText(latin1) },
  'rtl-to-user': { name: 'text is Latin-1', failure: /שלום/, change: changingInboundText(latin1) },
  'lines-to-agents': {
    name: 'lines are joined',
    failure: /First line/,
    change: changingOutboundText(oneLine),
  },
  'lines-to-user': { name: 'lines are joined', failure: /First line/, change: changingInboundText(oneLine) },
  overlong: {
    name: 'the limit is set too high',
    failure: /the end of a long text/,
    change: (good) => ({ capabilities: { ...good.capabilities, maxTextLength: 20_000 } }),
  },
  'long-to-user': {
    name: 'texts of agents are cut after 2,000 characters',
    failure: /the user to receive the end of a text of 5000 characters/,
    change: changingInboundText((text) => text.slice(0, 2_000)),
  },
};
