import { settingsFor } from '../../../examples/custom-adapter/harness.js';
import { AdapterError, type InboundEvent } from '../../../src/bridge/index.js';
import {
  acceptingSignature,
  addingEvents,
  api,
  changingEvents,
  changingVerifiedRequest,
  type Defects,
  deaf,
  failingList,
  failingSecondClose,
  findingBy,
  ignoringSignal,
  mappingErrors,
  newId,
  numberingEvents,
  reportedAs,
  retryingSend,
  rewritten,
  throwingFetchErrors,
} from './defect-tools.js';

const intervals: NodeJS.Timeout[] = [];

/** Stops the intervals that the defect of `dispose` leaves running. */
export const clearIntervals = (): void => intervals.forEach(clearInterval);

const SYSTEM = { kind: 'system', name: null };
const randomIds = changingEvents((event) => ({ ...event, id: newId() }));
const neverFinds = () => ({ find: async () => null });
const neverCloses = () => ({ close: async () => {} });

/** A defect for each check that calls the adapter directly. */
export const ADAPTER_DEFECTS: Defects = {
  open: {
    name: 'open omits the transcript',
    failure: /the agents to see the transcript/,
    change: (good) => ({ open: (session, call) => good.open({ ...session, transcript: [] }, call) }),
  },
  'find-nothing': [
    {
      name: 'find returns any open conversation',
      failure: /for a session that was never opened/,
      change: (_good, { helpdesk }) => ({
        find: async () => ({ externalId: String((await helpdesk.list())[0]) }),
      }),
    },
    {
      name: 'find searches by the user',
      failure: /for another session of the same user/,
      change: findingBy(({ user }) => user.key),
    },
    {
      name: 'find searches by the conversationId',
      failure: /for another session with the same conversationId/,
      change: findingBy(({ conversationId }) => conversationId),
    },
  ],
  'find-opened': {
    name: 'open recovers by itself, and find always returns null',
    failure: /find returned null for the session/,
    change: (good) => ({
      find: async () => null,
      open: async (session, call) => (await good.find(session, call)) ?? good.open(session, call),
    }),
  },
  'lost-answer': {
    name: 'find always returns null',
    failure: /there are 2 conversations/,
    change: neverFinds,
  },
  'broken-off': {
    name: 'the transcript is sent in a second request, and find does not check it',
    failure: /the agents to see the transcript/,
    change: (good) => ({
      async open(session, call) {
        const opened = await good.open({ ...session, transcript: [] }, call);
        const ref = {
          ...opened,
          conversationId: session.conversationId,
          bot: session.bot,
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
  'rate-limited': [
    {
      name: 'Retry-After is lost',
      failure: /to wait 7 s, but its error has retryAfterMs null/,
      change: reportedAs('rate-limited', 'rate-limited'),
    },
    {
      name: 'catchUp reports every failure as an outage',
      failure: /catchUp failed with kind "transient"/,
      catchesUp: true,
      change: failingList(new AdapterError('transient', 'the list failed.')),
    },
  ],
  unavailable: [
    { name: 'send retries by itself', failure: /send sent 2 requests/, change: retryingSend },
    {
      name: 'catchUp lists nothing if it fails',
      failure: /catchUp succeeded although/,
      catchesUp: true,
      change: failingList(null),
    },
  ],
  unreachable: {
    name: 'errors of fetch are thrown',
    failure: /not an AdapterError: TypeError/,
    change: throwingFetchErrors,
  },
  unauthorized: [
    {
      name: 'refused credentials are reported as an outage',
      failure: /failed with kind "transient"/,
      change: reportedAs('auth', 'transient'),
    },
    {
      name: 'catchUp reports refused credentials as a missing conversation',
      failure: /catchUp failed with kind "gone"/,
      catchesUp: true,
      change: failingList(new AdapterError('gone', 'the list failed.')),
    },
  ],
  gone: [
    {
      name: 'a conversation that is gone is reported as an outage',
      failure: /send failed with kind "transient"/,
      change: reportedAs('gone', 'transient'),
    },
    {
      name: 'close of a conversation that is gone fails as an outage',
      failure: /close failed with kind "transient"/,
      change: (good) => ({
        ...reportedAs('gone', 'transient')(good),
        send: (...given) => good.send(...given),
      }),
    },
    {
      name: 'catchUp of a conversation that is gone fails as an outage',
      failure: /catchUp failed with kind "transient"/,
      catchesUp: true,
      change: failingList(new AdapterError('transient', 'the list failed.')),
    },
    {
      name: 'a message to a closed conversation is reported as invalid',
      failure: /send to a conversation that an agent has closed failed with kind "invalid"/,
      change: (good, { helpdesk }) => ({
        async send(ref, message, call) {
          if ((await helpdesk.read(ref.externalId)).isClosed)
            throw new AdapterError('invalid', 'the case is closed.');
          return good.send(ref, message, call);
        },
      }),
    },
  ],
  refused: {
    name: 'a refused message is reported as an outage',
    failure: /send failed with kind "transient"/,
    change: reportedAs('invalid', 'transient'),
  },
  hanging: [
    {
      name: 'the signal is ignored',
      failure: /to end after its signal was aborted/,
      change: ignoringSignal,
    },
    {
      name: 'catchUp ignores the signal',
      failure: /catchUp to end after its signal was aborted/,
      catchesUp: true,
      change: (good) => ({
        catchUp: async (ref, since, call) => good.catchUp?.(ref, since, deaf(call)) ?? [],
      }),
    },
    {
      name: 'undelivered ignores the signal',
      failure: /undelivered to end after its signal was aborted/,
      change: (good) => ({
        undelivered: async (ref, message, reason, call) =>
          good.undelivered?.(ref, message, reason, deaf(call)),
      }),
    },
  ],
  'check-right': {
    name: 'check always fails',
    failure: /token: wrong/,
    change: () => ({ check: async () => [{ name: 'token', ok: false, detail: 'wrong' }] }),
  },
  'check-wrong': {
    name: 'check always passes',
    failure: /check accepted wrong credentials/,
    change: () => ({ check: async () => [{ name: 'token', ok: true, detail: 'accepted' }] }),
  },
  'signature-wrong': [
    {
      name: 'any signature is accepted',
      failure: /verify returned "genuine"/,
      change: () => ({ verify: ({ headers }) => (headers['x-tiny-signature'] ? 'genuine' : 'unsigned') }),
    },
    {
      name: 'the beginning of a signature is accepted',
      failure: /for a part of the signature, or for an empty one/,
      change: acceptingSignature((expected, given) => given !== '' && expected.startsWith(given)),
    },
    {
      name: 'an empty signature is accepted',
      failure: /for a part of the signature, or for an empty one/,
      change: acceptingSignature((expected, given) => given === '' || given === expected),
    },
  ],
  'signature-missing': {
    name: 'a missing signature is accepted',
    failure: /verify returned "genuine"/,
    change: (good) => ({
      verify: (request) => (request.headers['x-tiny-signature'] ? good.verify(request) : 'genuine'),
    }),
  },
  'signature-body': {
    name: 'a signature that was valid once is always valid',
    failure: /verify returned "genuine"/,
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
  'signature-bytes': {
    name: 'the signature is computed over JSON that was written again',
    failure: /verify returned "genuine"/,
    change: changingVerifiedRequest((request) => ({ ...request, body: rewritten(request.body) })),
  },
  'signature-stale': {
    name: 'the age is ignored',
    failure: /verify returned "genuine"/,
    change: changingVerifiedRequest((request) => ({
      ...request,
      receivedAt: Number(request.headers['x-tiny-time']) * 1_000,
    })),
  },
  'signature-future': {
    name: 'only the age is limited',
    failure: /verify returned "genuine"/,
    change: changingVerifiedRequest((request) => ({
      ...request,
      receivedAt: Math.max(request.receivedAt, Number(request.headers['x-tiny-time']) * 1_000),
    })),
  },
  pure: [
    { name: 'ids are random', failure: /parse returned different results/, change: randomIds },
    {
      name: 'the id of a close is the time of its arrival',
      failure: /parse returned other ids for the same request that arrived a second later/,
      change: (good) => ({
        parse(request) {
          const { events } = good.parse(request);
          const withTime = (event: InboundEvent) => ({ ...event, id: `closed at ${request.receivedAt}` });
          return { events: events.map((event) => (event.kind === 'closed' ? withTime(event) : event)) };
        },
      }),
    },
  ],
  unreadable: {
    name: 'parse does not validate the body',
    failure: /threw (TypeError|SyntaxError)/,
    change: (good) => ({
      parse(request) {
        JSON.parse(request.body.toString()).events.at(0);
        return good.parse(request);
      },
    }),
  },
  malformed: [
    {
      name: 'fields are read without a look at what has them',
      failure: /parse of a webhook whose events.* threw TypeError/,
      change: (good) => ({
        parse(request) {
          for (const { text } of JSON.parse(request.body.toString()).events) text?.trim();
          return good.parse(request);
        },
      }),
    },
    {
      name: 'an unknown kind of event is passed on',
      failure: /returned an event of kind "something-new"/,
      change: (good) => ({
        parse(request) {
          const { events } = Object(JSON.parse(request.body.toString()));
          const kind = Object(Array.isArray(events) ? events[0] : null).kind;
          const parsed = good.parse(request);
          if (parsed.events.length > 0 || kind !== 'something-new') return parsed;
          return { events: [Object.assign({ id: 'x', externalId: 'x', author: SYSTEM }, { kind })] };
        },
      }),
    },
    {
      name: 'ids of conversations are not checked',
      failure: /returned an event with the externalId undefined/,
      change: (good) => ({
        parse(request) {
          const { events } = JSON.parse(request.body.toString());
          const [first] = Array.isArray(events) ? events : [];
          if (first?.case !== undefined) return good.parse(request);
          return { events: [Object.assign({ kind: 'closed', id: 'x', author: SYSTEM })] };
        },
      }),
    },
  ],
  'unique-ids': [
    {
      name: 'ids are numbers within a conversation',
      failure: /events of two conversations have the id "\d+"/,
      change: numberingEvents,
    },
    {
      name: 'ids repeat within a conversation',
      failure: /of one conversation have the id/,
      change: (good) => {
        const seen: string[] = [];
        return changingEvents((event) => {
          if (!seen.includes(event.id)) seen.push(event.id);
          return { ...event, id: `${event.externalId} ${seen.indexOf(event.id) % 7}` };
        })(good);
      },
    },
    {
      name: 'a close is reported twice',
      failure: /one close was reported with the ids/,
      change: addingEvents((event) =>
        event.kind === 'closed' ? [{ ...event, id: `${event.id} again` }] : [],
      ),
    },
  ],
  'agent-name': {
    name: 'the name of the agent is missing',
    failure: /the name is null instead of "Ada"/,
    change: changingEvents((event) => ({ ...event, author: { ...event.author, name: null } })),
  },
  joined: [
    {
      name: 'parse drops joins',
      failure: /an event of kind "joined"/,
      change: changingEvents((event) => (event.kind === 'joined' ? null : event)),
    },
    {
      name: 'each reply is a join as well',
      failure: /2 events of kind "joined" were reported/,
      change: addingEvents(({ id, externalId, author, kind }) =>
        kind === 'message' && author.kind === 'agent'
          ? [{ kind: 'joined', id: `${id} join`, externalId, author }]
          : [],
      ),
    },
  ],
  'several-events': [
    {
      name: 'parse returns the first event only',
      failure: /parse returned "message"/,
      change: (good) => ({ parse: (request) => ({ events: good.parse(request).events.slice(0, 1) }) }),
    },
    {
      name: 'parse returns the newest event first',
      failure: /parse returned "closed", "message"/,
      change: (good) => ({ parse: (request) => ({ events: good.parse(request).events.toReversed() }) }),
    },
  ],
  close: { name: 'close does nothing', failure: /the conversation has ended/, change: neverCloses },
  'own-close': {
    name: 'each close is by an agent',
    failure: /own close was reported as an agent's/,
    change: changingEvents((event) =>
      event.kind === 'closed' ? { ...event, author: { kind: 'agent', name: null } } : event,
    ),
  },
  'close-twice': {
    name: 'close fails the second time',
    failure: /the second close failed/,
    change: failingSecondClose,
  },
  'close-after-agent': {
    name: 'close fails after an agent',
    failure: /close failed/,
    change: failingSecondClose,
  },
  'close-refused': {
    name: 'each attempt to close writes a message first',
    failure: /the agents see 3 closing messages/,
    change: (good) => ({
      async close(ref, reason, call) {
        await good.send(ref, { key: newId(), text: reason.text, sentAt: null }, call);
        await good.close(ref, reason, call);
      },
    }),
  },
  'large-conversation': {
    name: 'close reads the whole conversation first',
    failure: /close failed with kind "invalid": Tiny Desk answered .* with too large a body/,
    change: (good, site) => ({
      async close(ref, reason, call) {
        await api(site)({ method: 'GET', path: `/cases/${ref.externalId}` }, call);
        await good.close(ref, reason, call);
      },
    }),
  },
  dispose: {
    name: 'an interval keeps running',
    failure: /still open: Timeout/,
    change: (good) => ({
      open(session, call) {
        intervals.push(setInterval(() => {}, 1_000));
        return good.open(session, call);
      },
    }),
  },
  'no-secrets': [
    {
      name: 'the log contains the token',
      failure: /a secret appears in/,
      change: (good, site) => ({
        open(session, call) {
          call.log.debug({ with: `Bearer ${settingsFor(site).token}` }, 'opening');
          return good.open(session, call);
        },
      }),
    },
    {
      name: 'the url of the conversation contains the token',
      failure: /a secret appears in/,
      change: (good, site) => ({
        async open(session, call) {
          const opened = await good.open(session, call);
          return { ...opened, url: `${site.baseUrl}/cases?token=${settingsFor(site).token}` };
        },
      }),
    },
    {
      name: 'an error of catchUp contains the token',
      failure: /a secret appears in/,
      catchesUp: true,
      change: (good, site) =>
        failingList(new AdapterError('transient', `refused ${settingsFor(site).token}`))(good),
    },
    {
      name: 'the cause of an error has the headers of the request',
      failure: /a secret appears in/,
      change: (good, site) =>
        mappingErrors(good, ({ kind, message }) => {
          const cause = { request: { headers: { authorization: `Bearer ${settingsFor(site).token}` } } };
          return new AdapterError(kind, message, { cause });
        }),
    },
    {
      name: 'an error contains the token in Base64',
      failure: /a secret appears in/,
      change: (good, site) =>
        mappingErrors(good, ({ kind }) => {
          const basic = Buffer.from(`handoff:${settingsFor(site).token}`).toString('base64');
          return new AdapterError(kind, `refused Basic ${basic}`);
        }),
    },
  ],
};
