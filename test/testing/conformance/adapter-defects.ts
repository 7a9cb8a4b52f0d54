import { settingsFor } from '../../../examples/custom-adapter/harness.js';
import {
  closingOnce,
  type Defect,
  newId,
  reading,
  thrownRaw,
  toldAs,
  tryingAgain,
  verifying,
} from './defect-tools.js';

const leftBehind: NodeJS.Timeout[] = [];

/** Ends what the defect of `dispose` leaves behind. */
export const tidy = (): void => leftBehind.forEach(clearInterval);

const randomIds = reading((event) => ({ ...event, id: newId() }));
const neverFinds = () => ({ find: async () => null });
const neverCloses = () => ({ close: async () => {} });

/** A defect for each check of the adapter alone. */
export const ADAPTER_DEFECTS: Readonly<Record<string, Defect>> = {
  open: {
    what: 'open leaves out the transcript',
    tells: /shown what the user said before/,
    change: (good) => ({ open: (session, call) => good.open({ ...session, transcript: [] }, call) }),
  },
  'find-nothing': {
    what: 'find takes whatever is open',
    tells: /for a session that was never opened/,
    change: (_good, { system }) => ({
      find: async () => ({ externalId: String((await system.list())[0]) }),
    }),
  },
  'lost-answer': { what: 'find finds nothing', tells: /there are 2 conversations/, change: neverFinds },
  'broken-off': {
    what: 'the transcript goes in a second request, and find does not look whether it is there',
    tells: /shown what the user said before/,
    change: (good) => ({
      async open(session, call) {
        const opened = await good.open({ ...session, transcript: [] }, call);
        const ref = {
          ...opened,
          conversationId: session.conversationId,
          url: null,
          extra: {},
          user: session.user,
        };
        const text = session.transcript.map((item) => item.text).join('\n');
        await good.send(ref, { key: session.key, text, sentAt: null }, call);
        return opened;
      },
    }),
  },
  'rate-limited': {
    what: 'the time to wait is lost',
    tells: /told to wait 7 s, and its error says null/,
    change: toldAs('rate-limited', 'rate-limited'),
  },
  unavailable: { what: 'send tries again by itself', tells: /send made 2 requests/, change: tryingAgain },
  unreachable: {
    what: 'errors of fetch come through',
    tells: /no AdapterError: TypeError/,
    change: thrownRaw,
  },
  unauthorized: {
    what: 'refused credentials count as an outage',
    tells: /failed with kind "transient"/,
    change: toldAs('auth', 'transient'),
  },
  'check-right': {
    what: 'check always complains',
    tells: /token: wrong/,
    change: () => ({ check: async () => [{ name: 'token', ok: false, detail: 'wrong' }] }),
  },
  'check-wrong': {
    what: 'check never complains',
    tells: /wrong credentials are fine/,
    change: () => ({ check: async () => [{ name: 'token', ok: true, detail: 'accepted' }] }),
  },
  'signature-wrong': {
    what: 'a signature need only be there',
    tells: /verify says "genuine"/,
    change: () => ({ verify: ({ headers }) => (headers['x-tiny-signature'] ? 'genuine' : 'unsigned') }),
  },
  'signature-missing': {
    what: 'a request without a signature passes',
    tells: /verify says "genuine"/,
    change: (good) => ({
      verify: (request) => (request.headers['x-tiny-signature'] ? good.verify(request) : 'genuine'),
    }),
  },
  'signature-body': {
    what: 'a signature that was right once is right for ever',
    tells: /verify says "genuine"/,
    change(good) {
      const known = new Set<string | undefined>();
      return {
        verify(request) {
          const verdict = good.verify(request);
          const signature = request.headers['x-tiny-signature'];
          if (verdict === 'genuine') known.add(signature);
          return known.has(signature) ? 'genuine' : verdict;
        },
      };
    },
  },
  'signature-stale': {
    what: 'the age is not looked at',
    tells: /verify says "genuine"/,
    change: verifying((request) => ({
      ...request,
      receivedAt: Number(request.headers['x-tiny-time']) * 1_000,
    })),
  },
  pure: { what: 'ids are made up', tells: /parse said two things/, change: randomIds },
  unreadable: {
    what: 'parse trusts what it reads',
    tells: /parse threw (TypeError|SyntaxError)/,
    change: (good) => ({
      parse(request) {
        JSON.parse(request.body.toString()).events.at(0);
        return good.parse(request);
      },
    }),
  },
  joined: {
    what: 'parse keeps joins to itself',
    tells: /an event of kind "joined"/,
    change: reading((event) => (event.kind === 'joined' ? null : event)),
  },
  close: { what: 'close does nothing', tells: /conversation to be closed/, change: neverCloses },
  'close-twice': {
    what: 'close fails the second time',
    tells: /the second close failed/,
    change: closingOnce,
  },
  'close-after-agent': { what: 'close fails after an agent', tells: /close failed/, change: closingOnce },
  dispose: {
    what: 'an interval is left',
    tells: /left open: Timeout/,
    change: (good) => ({
      open(session, call) {
        leftBehind.push(setInterval(() => {}, 1_000));
        return good.open(session, call);
      },
    }),
  },
  'no-secrets': {
    what: 'the log has the token',
    tells: /a secret is in/,
    change: (good, site) => ({
      open(session, call) {
        call.log.debug({ with: `Bearer ${settingsFor(site).token}` }, 'opening');
        return good.open(session, call);
      },
    }),
  },
};
