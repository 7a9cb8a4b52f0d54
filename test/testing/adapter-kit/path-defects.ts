import { AdapterError } from '../../../src/adapter.js';
import {
  api,
  closingOnce,
  type Defect,
  digest,
  escaped,
  forgetful,
  hasty,
  isMessage,
  latin1,
  newId,
  oneLine,
  reading,
  readingText,
  sendingText,
  toldAs,
  withoutEmoji,
} from './defect-tools.js';

const genuine = () => 'genuine' as const;
const randomIds = reading((event) => ({ ...event, id: newId() }));
const neverFinds = () => ({ find: async () => null });
const neverCloses = () => ({ close: async () => {} });

/** A defect for each check on the whole path from user to agent. */
export const PATH_DEFECTS: Readonly<Record<string, Defect>> = {
  'open-twice': {
    what: 'open makes two',
    tells: /the system has 2 conversations/,
    change: (good) => ({
      async open(session, call) {
        await good.open({ ...session, key: `${session.key}-draft` }, call);
        return good.open(session, call);
      },
    }),
  },
  'lost-open': { what: 'find finds nothing', tells: /the system has 2 conversations/, change: neverFinds },
  'chat-before-open': {
    what: 'open does not wait',
    tells: /I could not wait/,
    change: (good) => hasty(good),
  },
  'placeholder-email': {
    what: 'customers are known by their e-mail address',
    tells: /both users are the customer support@example.com/,
    change: (_good, site) => ({
      async open({ key, user }, call) {
        const json = { reference: key, customer: user.email, text: 'hello' };
        const { body } = await api(site)({ method: 'POST', path: '/cases', json }, call);
        return { externalId: String(Object(body).id) };
      },
    }),
  },
  restart: {
    what: 'only what this process has opened is known',
    tells: /After the restart/,
    change: (good) => forgetful(good, 'send'),
  },
  'no-agent': {
    what: 'a timeout does not close',
    tells: /the agents to see that the conversation is over/,
    change: (good) => ({
      close: async (ref, reason, call) =>
        reason.by === 'timeout' ? undefined : good.close(ref, reason, call),
    }),
  },
  'own-echo': {
    what: 'everybody is an agent',
    tells: /The first of the user/,
    change: reading((event) => ({
      ...event,
      author: { kind: 'agent', name: null },
      ...(isMessage(event) && { messageId: null }),
    })),
  },
  'same-words': {
    what: 'ids are made of the words',
    tells: /in place of "Yes\.", "Yes\."/,
    change: reading((event) => (isMessage(event) ? { ...event, id: digest(event.text) } : event)),
  },
  'internal-note': {
    what: 'notes are messages',
    tells: /This user is difficult/,
    change: reading((event) => (isMessage(event) ? { ...event, internal: false } : event)),
  },
  duplicate: {
    what: 'ids are made up',
    tells: /"I say this once\.", "I say this once\."/,
    change: randomIds,
  },
  forged: { what: 'nothing is verified', tells: /was answered 200/, change: () => ({ verify: genuine }) },
  stale: { what: 'nothing is verified', tells: /was answered 200/, change: () => ({ verify: genuine }) },
  'unknown-conversation': {
    what: 'parse refuses what this instance has not opened',
    tells: /was answered 400/,
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
  'user-closes': { what: 'close does nothing', tells: /conversation is over/, change: neverCloses },
  'agent-closes': {
    what: 'parse keeps closes to itself',
    tells: /the service to know that the human has closed/,
    change: reading((event) => (event.kind === 'closed' ? null : event)),
  },
  'reply-then-close': {
    what: 'the close is told first',
    tells: /"Last words\."/,
    change: (good) => ({ parse: (request) => ({ events: good.parse(request).events.toReversed() }) }),
  },
  'close-race': {
    what: 'close fails after an agent',
    tells: /answered 500|to know that it is closed/,
    change: closingOnce,
  },
  'after-close': {
    what: 'close says good-bye afterwards, which opens the case again',
    tells: /conversation is over|open again/,
    change: (good) => ({
      async close(ref, reason, call) {
        await good.close(ref, reason, call);
        await good.send(ref, { key: newId(), text: reason.text, sentAt: null }, call);
      },
    }),
  },
  'rate-limit-honoured': {
    what: 'too fast counts as invalid',
    tells: /One moment, please/,
    change: toldAs('rate-limited', 'invalid'),
  },
  outage: {
    what: 'an outage counts as invalid',
    tells: /One of three/,
    change: toldAs('transient', 'invalid'),
  },
  'refused-told': {
    what: 'refused credentials count as an outage',
    tells: /the log to say that the credentials are refused/,
    change: toldAs('auth', 'transient'),
  },
  'html-to-agents': { what: 'escapes stay', tells: /Is 5 < 6/, change: sendingText(escaped) },
  'html-to-user': { what: 'escapes stay', tells: /Is 5/, change: readingText(escaped) },
  'emoji-to-agents': { what: 'emoji are dropped', tells: /Thanks/, change: sendingText(withoutEmoji) },
  'emoji-to-user': { what: 'emoji are dropped', tells: /Thanks/, change: readingText(withoutEmoji) },
  'cjk-to-agents': { what: 'text is Latin-1', tells: /您好/, change: sendingText(latin1) },
  'cjk-to-user': { what: 'text is Latin-1', tells: /您好/, change: readingText(latin1) },
  'rtl-to-agents': { what: 'text is Latin-1', tells: /שלום/, change: sendingText(latin1) },
  'rtl-to-user': { what: 'text is Latin-1', tells: /שלום/, change: readingText(latin1) },
  'lines-to-agents': { what: 'lines are joined', tells: /First line/, change: sendingText(oneLine) },
  'lines-to-user': { what: 'lines are joined', tells: /First line/, change: readingText(oneLine) },
  overlong: {
    what: 'the limit is set too high',
    tells: /the end of a long text/,
    change: (good) => ({ capabilities: { ...good.capabilities, maxTextLength: 20_000 } }),
  },
};
