import { describe, expectTypeOf, it } from 'vitest';
import type {
  AudioClip,
  BotMessage,
  HandoffChat,
  HandoffClose,
  HandoffRequest,
} from '../../src/protocol/index.js';
import type { RequestListener } from '../../src/public/bindings.js';
import {
  type AdmitContext,
  type AuthChoice,
  basic,
  createReceiver,
  type EventName,
  type HandlerContext,
  noAuth,
  type Receipt,
  type Receiver,
  type TranscriptItem,
  type User,
  webhookUser,
} from '../../src/public/index.js';

const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false });

describe('on', () => {
  it('gives a message its payload, text and audio', () => {
    receiver.on('message', ({ event, payload, text, audio, sentAt, attempt, signal }) => {
      expectTypeOf(event).toEqualTypeOf<'message'>();
      expectTypeOf(payload).toEqualTypeOf<BotMessage>();
      expectTypeOf(payload.message_id).toEqualTypeOf<string | null>();
      expectTypeOf(payload.usage.tokens.total_tokens).toEqualTypeOf<number | null>();
      expectTypeOf(text).toEqualTypeOf<string>();
      expectTypeOf(audio).toEqualTypeOf<readonly AudioClip[]>();
      expectTypeOf(sentAt).toEqualTypeOf<Date | null>();
      expectTypeOf(attempt).toEqualTypeOf<number>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    });
  });

  it('gives a handoff request its user, transcript and actions', () => {
    receiver.on('handoff.requested', async ({ event, payload, user, transcript, replyBy, reply, end }) => {
      expectTypeOf(event).toEqualTypeOf<'handoff.requested'>();
      expectTypeOf(payload).toEqualTypeOf<HandoffRequest>();
      expectTypeOf(user).toEqualTypeOf<User>();
      expectTypeOf(transcript).toEqualTypeOf<readonly TranscriptItem[]>();
      expectTypeOf(replyBy).toEqualTypeOf<Date>();
      expectTypeOf(await reply('Hello')).toEqualTypeOf<Receipt>();
      expectTypeOf(await end()).toEqualTypeOf<Receipt>();
    });
  });

  it('gives a user’s message its text, and a close its reason', () => {
    receiver.on('handoff.message', ({ payload, conversationId, reply }) => {
      expectTypeOf(payload).toEqualTypeOf<HandoffChat>();
      expectTypeOf(payload.body).toEqualTypeOf<string>();
      expectTypeOf(conversationId).toEqualTypeOf<string>();
      return reply(payload.body);
    });
    receiver.on('handoff.closed', ({ payload }) => {
      expectTypeOf(payload).toEqualTypeOf<HandoffClose>();
      expectTypeOf<'TIMEOUT'>().toExtend<typeof payload.type>();
    });
  });

  it('gives a probe its endpoint', () => {
    receiver.on('probe', ({ payload }) => {
      expectTypeOf(payload.endpoint).toEqualTypeOf<'message' | 'establish' | 'chat' | 'close' | 'root'>();
    });
  });

  it('knows the names of events', () => {
    expectTypeOf<EventName>().toEqualTypeOf<
      'message' | 'handoff.requested' | 'handoff.message' | 'handoff.closed' | 'probe'
    >();
    // @ts-expect-error there is no such event
    receiver.on('messages', () => {});
    // @ts-expect-error nor this
    receiver.on('handoff', () => {});
    // @ts-expect-error every event is onAny's
    receiver.on('*', () => {});
  });

  it('knows the fields of each context', () => {
    // @ts-expect-error the field of another event
    receiver.on('handoff.closed', ({ text }) => text);
    // @ts-expect-error the field of another event's payload is not a string here
    receiver.on('message', ({ payload }) => payload.body.length);
    // @ts-expect-error what is received is not to be changed
    receiver.on('message', (context) => (context.conversationId = 'x'));
    // @ts-expect-error words are needed
    receiver.on('handoff.message', ({ reply }) => reply());
  });
});

describe('a context without actions', () => {
  it('has neither reply nor end', () => {
    expectTypeOf<HandlerContext<'message'>>().not.toHaveProperty('reply');
    expectTypeOf<HandlerContext<'message'>>().not.toHaveProperty('end');
    expectTypeOf<HandlerContext<'handoff.closed'>>().not.toHaveProperty('reply');
    expectTypeOf<HandlerContext<'handoff.closed'>>().not.toHaveProperty('end');
    expectTypeOf<HandlerContext<'probe'>>().not.toHaveProperty('reply');
    expectTypeOf<HandlerContext<'probe'>>().not.toHaveProperty('conversationId');
    expectTypeOf<AdmitContext>().not.toHaveProperty('reply');
    expectTypeOf<AdmitContext>().not.toHaveProperty('end');
    // @ts-expect-error a message is not answered here
    receiver.on('message', ({ reply }) => reply('x'));
    // @ts-expect-error a closed handoff cannot be answered
    receiver.on('handoff.closed', ({ reply }) => reply('x'));
    // @ts-expect-error nor is a probe
    receiver.on('probe', ({ reply }) => reply('x'));
    // @ts-expect-error a gate only judges
    receiver.admit(({ reply }) => reply('x'));
  });
});

describe('onAny', () => {
  it('narrows by the event’s name', () => {
    receiver.onAny((context) => {
      expectTypeOf(context.event).toEqualTypeOf<Exclude<EventName, 'probe'>>();
      expectTypeOf(context.conversationId).toEqualTypeOf<string>();
      expectTypeOf(context.requestId).toEqualTypeOf<string>();
      // @ts-expect-error not every event can be answered
      void context.reply;
      if (context.event === 'message') expectTypeOf(context.text).toEqualTypeOf<string>();
      if (context.event === 'handoff.message') expectTypeOf(context.payload).toEqualTypeOf<HandoffChat>();
      if (context.event === 'handoff.requested') expectTypeOf(context.user).toEqualTypeOf<User>();
      switch (context.event) {
        case 'handoff.message':
        case 'handoff.requested':
          return context.reply('x');
        case 'handoff.closed':
          return context.payload.type;
        case 'message':
          return context.audio;
        default:
          return expectTypeOf(context).toBeNever();
      }
    });
  });

  it('can share its handler with probes', () => {
    const observe = (context: HandlerContext): string => context.requestId;
    expectTypeOf(receiver.onAny(observe).on('probe', observe)).toEqualTypeOf<Receiver>();
  });
});

describe('createReceiver', () => {
  it('needs auth of both groups', () => {
    const options = { auth: { message: noAuth() } };
    // @ts-expect-error who may send handoff requests was not said
    const make = () => createReceiver(options);
    expectTypeOf(make).returns.toEqualTypeOf<Receiver>();
    // @ts-expect-error a name misspelt
    void (() => createReceiver({ auth: { message: false, handoff: false }, greetings: 'Hi' }));
  });

  it('takes schemes, functions and lists', () => {
    expectTypeOf(webhookUser({ username: 'u' })).toExtend<AuthChoice>();
    expectTypeOf(() => true).toExtend<AuthChoice>();
    expectTypeOf(async () => false).toExtend<AuthChoice>();
    expectTypeOf([noAuth(), basic({ username: 'u', password: 'p' }), () => true]).toExtend<AuthChoice>();
    expectTypeOf<string>().not.toExtend<AuthChoice>();
    expectTypeOf(() => 'yes').not.toExtend<AuthChoice>();
  });

  it('returns a listener, whose methods chain', () => {
    expectTypeOf(receiver).toExtend<RequestListener>();
    expectTypeOf(
      receiver
        .on('message', () => {})
        .onAny(() => {})
        .onError(() => {})
        .admit(() => true),
    ).toEqualTypeOf<Receiver>();
    expectTypeOf(receiver.close()).resolves.toEqualTypeOf<{ readonly unfinished: number }>();
    expectTypeOf(receiver.start()).resolves.toEqualTypeOf<void>();
    // @ts-expect-error a gate says yes, no, or why not
    receiver.admit(() => 5);
  });
});

describe('use', () => {
  interface State {
    tenant: { readonly name: string };
  }
  const stateful = createReceiver<State>({ auth: { message: noAuth(), handoff: noAuth() }, log: false });

  it('sets values of the declared type, one after another', () => {
    stateful.use(async (context, next) => {
      expectTypeOf(context.state.tenant).toEqualTypeOf<State['tenant'] | undefined>();
      context.state.tenant = { name: 'acme' };
      // @ts-expect-error a value of another type
      context.state.tenant = 'acme';
      // @ts-expect-error a value that was not declared
      context.state.other = 1;
      expectTypeOf(await next()).toEqualTypeOf<void>();
      expectTypeOf(next.skip('why')).toEqualTypeOf<void>();
      if (context.event === 'handoff.message')
        expectTypeOf(context.reply).returns.resolves.toEqualTypeOf<Receipt>();
    });
  });

  it('gives them to handlers, typed', () => {
    stateful
      .on('message', ({ text, state }) => {
        expectTypeOf(text).toEqualTypeOf<string>();
        expectTypeOf(state).toEqualTypeOf<State>();
      })
      .onAny(({ state }) => expectTypeOf(state.tenant.name).toEqualTypeOf<string>());
    const answer = ({ reply, state }: HandlerContext<'handoff.message', State>) => reply(state.tenant.name);
    stateful.on('handoff.message', answer);
    // @ts-expect-error a receiver without this state
    receiver.on('handoff.message', answer);
    // @ts-expect-error no state was declared
    receiver.on('message', ({ state }) => state.tenant);
    // @ts-expect-error a probe has none
    stateful.on('probe', ({ state }) => state);
  });

  it('creates a receiver that bridges and desks accept', () => {
    expectTypeOf(stateful).toExtend<Receiver>();
  });
});
