import request from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  createReceiver,
  type FailureReport,
  inline,
  type Middleware,
  noAuth,
  Postponed,
} from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { LEVEL, logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { start } from '../helpers/start.js';

const post = ({ url }: { url: string }, path: string, body: object) => request(url).post(path).send(body);

/** A served receiver with middleware, one message handler that records its calls, and its failures. */
async function startWith(
  middleware: readonly Middleware[],
  handle: (calls: number) => unknown = () => undefined,
) {
  const logged = logLines();
  const steps: string[] = [];
  const reports: FailureReport[] = [];
  const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: logged.log });
  for (const each of middleware) receiver.use(each);
  let calls = 0;
  receiver.on('message', () => {
    calls += 1;
    steps.push('handler');
    return handle(calls);
  });
  receiver.onError((report) => reports.push(report));
  const served = await serve(receiver);
  return { ...served, steps, reports, logged, send: () => post(served, '/', botMessageBody()) };
}

const codesOf = (reports: readonly FailureReport[]) =>
  reports.map(({ error }) => (error instanceof Error && 'code' in error ? error.code : error));

describe('middleware', () => {
  it('runs around all handlers of an event, in the order of registration', async () => {
    const { receiver, ...to } = await start();
    const steps: string[] = [];
    const noteAs =
      (name: string): Middleware =>
      async (_context, next) => {
        steps.push(`${name} begins`);
        await next();
        steps.push(`${name} ends`);
      };
    receiver.use(noteAs('outer')).use(noteAs('inner'));
    receiver.on('message', async () => {
      await new Promise(setImmediate);
      steps.push('first handler');
    });
    receiver.onAny(() => steps.push('second handler'));
    expect((await post({ ...to }, '/', botMessageBody())).status).toBe(200);
    expect(steps).toEqual([
      'outer begins',
      'inner begins',
      'first handler',
      'second handler',
      'inner ends',
      'outer ends',
    ]);
  });

  it.each([
    ['message', '/', botMessageBody()],
    ['handoff.requested', '/conversation/establish', establishBody()],
    ['handoff.message', '/chat', chatBody()],
    ['handoff.closed', '/conversation/close', closeBody()],
  ])('gets the context of %s, and its values reach the handler', async (name, path, body) => {
    const to = await start();
    const states: object[] = [];
    to.receiver.use(async (context, next) => {
      Object.assign(context.state, { event: context.event, id: context.conversationId });
      await next();
    });
    to.receiver.onAny(({ state }) => states.push(state));
    await post(to, path, body);
    expect(states).toEqual([{ event: name, id: String(body.conversation_id) }]);
    expect(to.seen).toMatchObject([{ state: { event: name } }]);
  });

  it('can use the actions of a handoff', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    to.receiver.use(async (context, next) => {
      if (context.event === 'handoff.message') await context.reply('One moment.');
      await next();
    });
    await post(to, '/chat', chatBody({ conversation_id: 'c-1' }));
    expect(platform.calls).toMatchObject([{ body: { conversation_id: 'c-1', body: 'One moment.' } }]);
  });

  it('runs again with a new state on a retry', async () => {
    const seen: object[] = [];
    const to = await startWith(
      [
        async ({ state }, next) => {
          seen.push({ ...state });
          Object.assign(state, { isUsed: true });
          await next();
        },
      ],
      (calls) => {
        if (calls === 1) throw new Postponed('later', { retryAfterMs: 1 });
      },
    );
    expect((await to.send()).status).toBe(200);
    expect(seen).toEqual([{}, {}]);
  });

  it('does not run for an event without a handler, nor for a probe', async () => {
    let calls = 0;
    const to = await startWith([
      (_context, next) => {
        calls += 1;
        return next();
      },
    ]);
    expect((await post(to, '/chat', chatBody())).status).toBe(200);
    expect((await post(to, '/', { istest: true })).status).toBe(200);
    expect(calls).toBe(0);
    expect((await to.send()).status).toBe(200);
    expect(calls).toBe(1);
  });

  it('must be a function, and be added before the first event', async () => {
    const { receiver, ...to } = await start();
    expect(() => receiver.use('x' as never)).toThrow(expect.objectContaining({ code: 'INVALID_HANDLER' }));
    await post({ ...to }, '/', botMessageBody());
    expect(() => receiver.use((_context, next) => next())).toThrow(
      expect.objectContaining({ code: 'REGISTRATION_CLOSED' }),
    );
  });

  it('is optional: without it, synchronous handlers finish within accept', async () => {
    const delivery = inline();
    const receiver = createReceiver({ auth: { message: noAuth(), handoff: false }, log: false, delivery });
    receiver.on('message', () => undefined);
    const event = {
      name: 'message',
      bot: 'default',
      key: 'k',
      conversationId: 'c',
      receivedAt: 0,
      requestId: 'r',
    } as const;
    expect(await delivery.accept({ ...event, body: botMessageBody() as never })).toBe('handled');
  });
});

describe('middleware that fails', () => {
  it('before next fails the run: no handler runs, and the failure is reported once', async () => {
    const error = new Error('no tenant');
    const to = await startWith([
      () => {
        throw error;
      },
    ]);
    expect((await to.send()).status).toBe(500);
    expect(to.steps).toEqual([]);
    expect(to.reports).toMatchObject([{ error, event: 'message', attempt: 1 }]);
    expect(to.logged.about('handling an event failed')).toHaveLength(1);
  });

  it('after next fails the run as well', async () => {
    const error = new Error('cannot commit');
    const to = await startWith([
      async (_context, next) => {
        await next();
        throw error;
      },
    ]);
    expect((await to.send()).status).toBe(500);
    expect(to.steps).toEqual(['handler']);
    expect(to.reports).toMatchObject([{ error }]);
  });

  it('with undefined is reported as EMPTY_ERROR', async () => {
    const to = await startWith([() => Promise.reject(undefined)]);
    expect((await to.send()).status).toBe(500);
    expect(codesOf(to.reports)).toEqual(['EMPTY_ERROR']);
  });

  it('while handlers still run ends the run only after them', async () => {
    const gate = deferred();
    const to = await startWith(
      [
        (_context, next) => {
          void next();
          throw new Error('too early');
        },
      ],
      async () => {
        await gate.promise;
        to.steps.push('handler ends');
      },
    );
    const answer = to.send().then(({ status }) => to.steps.push(String(status)));
    await expect.poll(() => to.steps).toEqual(['handler']);
    gate.resolve();
    await answer;
    expect(to.steps).toEqual(['handler', 'handler ends', '500']);
  });
});

describe('the failure of a handler', () => {
  const error = new Error('handler failed');
  const fails = () => Promise.reject(error);

  it('reaches middleware as the rejection of next', async () => {
    const caught: unknown[] = [];
    const to = await startWith(
      [
        async (_context, next) => {
          await next().catch((failure: unknown) => {
            caught.push(failure);
            throw failure;
          });
        },
      ],
      fails,
    );
    expect((await to.send()).status).toBe(500);
    expect(caught).toEqual([error]);
    expect(to.reports.map((report) => report.error)).toEqual([error]);
  });

  it('stays a failure when middleware catches it', async () => {
    const to = await startWith([(_context, next) => next().catch(() => undefined)], fails);
    expect((await to.send()).status).toBe(500);
    expect(to.reports.map((report) => report.error)).toEqual([error]);
  });

  it('can become a postponement, which replaces it', async () => {
    const to = await startWith(
      [
        (_context, next) =>
          next().catch((cause: unknown) => {
            throw new Postponed('the database is away', { retryAfterMs: 1, cause });
          }),
      ],
      (calls) => (calls === 1 ? fails() : undefined),
    );
    expect((await to.send()).status).toBe(200);
    expect(to.steps).toEqual(['handler', 'handler']);
    expect(to.reports).toEqual([]);
    expect(to.logged.about('postponed')).toMatchObject([{ reason: 'the database is away' }]);
  });

  it("is reported in addition to middleware's error, unless it is that error's cause", async () => {
    const other = new Error('another');
    const throwOther: Middleware = async (_context, next) => {
      await next().catch(() => undefined);
      throw other;
    };
    const besides = await startWith([throwOther], fails);
    await besides.send();
    expect(besides.reports.map((report) => report.error)).toEqual([error, other]);

    const wrapped = new Error('wrapped', { cause: error });
    const instead = await startWith([(_context, next) => next().catch(() => Promise.reject(wrapped))], fails);
    await instead.send();
    expect(instead.reports.map((report) => report.error)).toEqual([wrapped]);
  });

  it('that postpones takes precedence over an error in middleware', async () => {
    const to = await startWith(
      [
        async (_context, next) => {
          await next().catch(() => Promise.reject(new Error('in a catch block')));
        },
      ],
      (calls) => {
        if (calls === 1) throw new Postponed('later', { retryAfterMs: 1 });
      },
    );
    expect((await to.send()).status).toBe(200);
    expect(to.steps).toEqual(['handler', 'handler']);
    expect(to.reports).toMatchObject([{ error: { message: 'in a catch block' } }]);
  });
});

describe('next', () => {
  it('that is not called fails the run, so that no event is dropped silently', async () => {
    const to = await startWith([() => undefined]);
    expect((await to.send()).status).toBe(500);
    expect(to.steps).toEqual([]);
    expect(codesOf(to.reports)).toEqual(['NEXT_NOT_CALLED']);
  });

  it('that is called after the middleware has returned runs no handler', async () => {
    const late = deferred<unknown>();
    const to = await startWith([
      (_context, next) => {
        setImmediate(() => void next().catch((error: unknown) => late.resolve(error)));
      },
    ]);
    expect((await to.send()).status).toBe(500);
    expect(await late.promise).toMatchObject({ code: 'NEXT_NOT_CALLED' });
    expect(to.steps).toEqual([]);
  });

  it.each<[string, Middleware]>([
    [
      'and awaited',
      async (_context, next) => {
        await next();
        await next();
      },
    ],
    ['and not awaited', (_context, next) => [next(), next()]],
    ['after next.skip', (_context, next) => [next.skip('no'), next()]],
    [
      'by next.skip',
      async (_context, next) => {
        await next();
        next.skip('no');
      },
    ],
  ])('that is called twice %s fails the run, and handlers run once at most', async (_how, middleware) => {
    const to = await startWith([middleware]);
    expect((await to.send()).status).toBe(500);
    expect(to.steps.length).toBeLessThanOrEqual(1);
    expect(codesOf(to.reports)).toEqual(['NEXT_CALLED_TWICE']);
  });

  it('that is not awaited is awaited by the run', async () => {
    const to = await startWith([(_context, next) => void next()], async () => {
      await new Promise(setImmediate);
      throw new Error('handler failed');
    });
    expect((await to.send()).status).toBe(500);
    expect(to.reports).toMatchObject([{ error: { message: 'handler failed' } }]);
  });

  it('skip skips the handlers: the event counts as handled, and the log says why', async () => {
    const to = await startWith([
      async (_context, next) => {
        await next();
        to.steps.push('outer continues');
      },
      (_context, next) => next.skip('a blocked user'),
    ]);
    expect((await to.send()).status).toBe(200);
    expect(to.steps).toEqual(['outer continues']);
    expect(to.reports).toEqual([]);
    expect(to.logged.about('skipped by middleware')).toMatchObject([
      { level: LEVEL.info, event: 'message', reason: 'a blocked user' },
    ]);
  });
});
