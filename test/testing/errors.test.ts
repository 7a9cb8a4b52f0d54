import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createReceiver, HandoffKitError, noAuth } from '../../src/public/index.js';
import { createTestBench, TestBenchError } from '../../src/testing/index.js';
import { closeAfterTest, echoBench, echoReceiver, errorOf } from './support.js';

/** The text of an error without ids and times. */
const textOf = ({ message }: Error): string =>
  message.replace(/handoff-[\da-f-]{36}/g, '<id>').replace(/ +\d+ ms$/gm, '  <time>');

const teapot = (_request: IncomingMessage, response: ServerResponse) => response.writeHead(418).end();
const silent = (_request: IncomingMessage, _response: ServerResponse) => {};
const soon = { timeoutMs: 20 };

describe('an error without a reply', () => {
  it('lists the requests so far and what to check', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.say('be quiet');
    const error = await errorOf(bench.nextReply(soon));
    expect(error).toBeInstanceOf(TestBenchError);
    expect(error).toBeInstanceOf(HandoffKitError);
    expect(error.code).toBe('NO_REPLY');
    const [report, log = ''] = textOf(error).split("\n\nThe receiver's log:\n");
    expect(log.split('\n').map((line) => JSON.parse(line))).toMatchObject([
      { level: 'debug', event: 'handoff.requested', msg: 'event accepted' },
      { level: 'debug', event: 'handoff.message', msg: 'event accepted' },
    ]);
    expect(report).toBe(
      `no reply arrived within 20 ms.

Conversation <id> is connecting: establish was answered 200, the first reply is pending. 0 replies so far.

Requests so far (→ to the receiver, ← to the platform):
→ POST /…/conversation/establish  200  {"code":200,"message":"success"}  <time>
→ POST /…/chat                    200  {"code":200,"message":"success"}  <time>

What to check:
- the receiver accepted the last delivery but has not called the platform since: does its handler call reply(), and does it use bench.platform?`,
    );
  });

  it('aligns the columns and shows both directions', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.say('throw');
    await bench.say('hello');
    await bench.idle();
    await bench.nextReply();
    const error = await errorOf(bench.nextReply(soon));
    const lines = error.message.split('\n').filter((line) => /^[→←]/.test(line));
    expect(lines.map((line) => line.replace(/ {2,}.*/, ''))).toEqual([
      '→ POST /…/conversation/establish',
      '→ POST /…/chat',
      '→ POST /…/chat',
      '← POST /v1/human/message/receive',
      '→ POST /',
    ]);
    expect(new Set(lines.map((line) => line.search(/ [25]00 /)))).toHaveProperty('size', 1);
    expect(new Set(lines.map((line) => line.length))).toHaveProperty('size', 1);
    expect(lines[1]).toContain('500  {"code":500,"message":"handler failed"}');
    expect(error.message).toContain('is connected: an agent has replied. 1 reply so far.');
    expect(error.message).toContain(
      '- nextReply returns each reply once: earlier replies are in bench.replies.',
    );
  });

  it.each([
    ['throw', '- a handler threw: register receiver.onError'],
    ['close', '- the agent closed the conversation: request another with bench.requestHandoff().'],
  ])('explains a handler that was told to "%s"', async (words, text) => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.say(words);
    expect((await errorOf(bench.nextReply(soon))).message).toContain(text);
  });

  it('explains a refused handoff', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff({ user: { userId: 'blocked-user' } });
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toMatch(/^no further reply can arrive\./);
    expect(message).toContain('is busy: establish was not answered 200, so the handoff never started.');
    expect(message).toContain('503  {"code":503,"message":"this user is blocked"}');
    expect(message).toContain('check its admit gate');
  });

  it('explains a timeout', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.clock.advance(60_000);
    await bench.idle();
    const { message } = await errorOf(bench.nextReply());
    expect(message).toContain('is closed: ended by a timeout.');
    expect(message).toContain('- the wait timeout passed without a reply: set a greeting');
  });

  it('names the active faults', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.faults.set('drop', { on: ['chat'] });
    await bench.say('hello');
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('→ POST /…/chat (fault: drop)');
    expect(message).toContain('---  the connection was dropped on purpose');
    expect(message).toContain('- active faults: drop. bench.faults.clear() switches them off.');
  });

  it('explains a delivery that waits for the clock', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.faults.set('delay', { delayMs: 10, on: ['chat'] });
    const saying = bench.say('hello');
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('Held deliveries wait for bench.clock.advance().');
    bench.clock.advance(10);
    await saying;
    expect(await bench.nextReply()).toMatchObject({ text: 'You said: hello' });
  });

  it('explains wrong credentials', async () => {
    const bench = await createTestBench({ receiver: (options) => echoReceiver(options) });
    closeAfterTest(bench).faults.set('wrongCredentials');
    expect(await bench.botMessage()).toMatchObject({ status: 401 });
    const auth = { message: noAuth(), handoff: () => false };
    const closed = closeAfterTest(await createTestBench({ receiver: createReceiver({ auth, log: false }) }));
    await closed.requestHandoff();
    const { message } = await errorOf(closed.nextReply(soon));
    expect(message).toContain('→ POST /conversation/establish  401');
    expect(message).toContain('- the receiver refused the credentials: create it with the bench');
  });

  it('explains a wrong path', async () => {
    const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false });
    const bench = closeAfterTest(await createTestBench({ receiver, path: '/webhook' }));
    await bench.requestHandoff();
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('→ POST /webhook/conversation/establish  404');
    expect(message).toContain('- the receiver has no endpoint at that path: pass its path');
  });

  it('explains an unexpected status', async () => {
    const bench = closeAfterTest(await createTestBench({ receiver: teapot }));
    await bench.requestHandoff();
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('- the receiver answered establish with 418, and only 200 means accepted.');
  });

  it('explains a receiver that does not answer', async () => {
    const simulator = { deliveryTimeoutMs: 50 };
    const bench = closeAfterTest(await createTestBench({ receiver: silent, simulator }));
    await bench.requestHandoff();
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('- the receiver has not answered establish: no answer within 50 ms.');
  });

  it('explains an unknown API key', async () => {
    const bench = await createTestBench({
      receiver: ({ auth, platform }) =>
        echoReceiver({ auth, platform: { ...platform, apiKey: 'another-key' } }),
    });
    closeAfterTest(bench);
    await bench.requestHandoff();
    await bench.say('hello');
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('← POST /v1/human/message/receive  401');
    expect(message).toContain('create it with the baseUrl and apiKey of bench.platform');
  });
});

describe('misuse', () => {
  it('of a bench without a receiver', async () => {
    const bench = closeAfterTest(await createTestBench());
    const expected = {
      code: 'NOT_CONNECTED',
      message:
        'this bench has no receiver: pass one to createTestBench({ receiver }), or call await bench.connect(app, { path }).',
    };
    expect(await errorOf(bench.requestHandoff())).toMatchObject(expected);
    expect(await errorOf(bench.say('hello'))).toMatchObject(expected);
    expect(await errorOf(bench.botMessage())).toMatchObject(expected);
    expect(await errorOf(bench.probe())).toMatchObject(expected);
    expect(await errorOf(() => bench.url)).toMatchObject(expected);
    expect(bench.replies).toEqual([]);
  });

  it('of a bench without a conversation', async () => {
    const { bench } = await echoBench();
    const error = await errorOf(bench.say('hello'));
    expect(error.code).toBe('NO_CONVERSATION');
    expect(error.message).toBe(
      `no handoff was requested yet.

Requests so far (→ to the receiver, ← to the platform):
none

What to check:
- no requests were sent: start with await bench.requestHandoff().`,
    );
    expect(await errorOf(() => bench.conversation)).toMatchObject({ code: 'NO_CONVERSATION' });
  });

  it('of an ended conversation', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.closeByUser();
    const error = await errorOf(bench.say('hello'));
    expect(error.code).toBe('CONVERSATION_OVER');
    expect(error.message).toMatch(/^the conversation has ended\.\n\nConversation .* ended by the user/);
    expect(error.message).toContain('→ POST /…/conversation/close');
    expect(await errorOf(bench.closeByUser())).toMatchObject({ code: 'CONVERSATION_OVER' });
  });

  it('of a closed bench', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.close();
    const expected = { code: 'BENCH_CLOSED', message: 'this bench was closed: create another.' };
    expect(await errorOf(bench.say('hello'))).toMatchObject(expected);
    expect(await errorOf(bench.requestHandoff())).toMatchObject(expected);
    expect(await errorOf(bench.connect(() => noAuth))).toMatchObject(expected);
  });
});

describe('secrets', () => {
  it('do not appear in an error, wherever the receiver puts them', async () => {
    const address = { username: 'acme', secret: 'the-webhook-secret', token: 'token-of-16-char' };
    const bench = closeAfterTest(await createTestBench());
    await bench.connect(
      (request: IncomingMessage, response: ServerResponse) => {
        response.statusCode = 400;
        response.end(
          JSON.stringify({ url: request.url, key: bench.platform.apiKey, secret: address.secret }),
        );
      },
      { path: '/hook', ...address },
    );
    await bench.botMessage();
    await bench.requestHandoff();
    await bench.say('my own words').catch(() => {});
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('→ POST /hook/…/conversation/establish  400');
    for (const secret of [address.secret, address.token, bench.platform.apiKey, 'my own words'])
      expect(message).not.toContain(secret);
  });
});
