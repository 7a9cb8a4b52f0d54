import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createReceiver, HandoffKitError, noAuth } from '../../src/index.js';
import { createTestBench, TestBenchError } from '../../src/testing/index.js';
import { echoBench, echoReceiver, errorOf, untilTestEnds } from './support.js';

/** The text of an error without what differs from run to run. */
const textOf = ({ message }: Error): string =>
  message.replace(/handoff-[\da-f-]{36}/g, '<id>').replace(/ +\d+ ms$/gm, '  <time>');

const teapot = (_request: IncomingMessage, response: ServerResponse) => response.writeHead(418).end();
const silent = (_request: IncomingMessage, _response: ServerResponse) => {};
const soon = { timeoutMs: 20 };

describe('when no reply comes', () => {
  it('the error shows what passed, and what to look at', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.say('be quiet');
    const error = await errorOf(bench.nextReply(soon));
    expect(error).toBeInstanceOf(TestBenchError);
    expect(error).toBeInstanceOf(HandoffKitError);
    expect(error.code).toBe('NO_REPLY');
    expect(textOf(error)).toBe(
      `no reply came within 20 ms.

Conversation <id> is connecting: establish was answered 200, the first reply has not come. 0 replies so far.

What passed (→ to the receiver, ← to the service):
→ POST /…/conversation/establish  200  {"code":200,"message":"success"}  <time>
→ POST /…/chat                    200  {"code":200,"message":"success"}  <time>

Look at:
- the receiver took the last delivery and has called nothing since: does its handler reply(), and to bench.service?`,
    );
  });

  it('the columns line up, and both directions are told apart', async () => {
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
    expect(error.message).toContain('is connected: a human has replied. 1 reply so far.');
    expect(error.message).toContain(
      '- each reply is returned once: those that came before are in bench.replies.',
    );
  });

  it.each([
    ['throw', '- a handler threw: register receiver.onError'],
    ['close', '- the human ended it: ask again with bench.requestHandoff().'],
  ])('a user who says "%s" is explained', async (words, text) => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.say(words);
    expect((await errorOf(bench.nextReply(soon))).message).toContain(text);
  });

  it('a refused handoff is explained', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff({ user: { userId: 'nobody' } });
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toMatch(/^no further reply can come\./);
    expect(message).toContain('is busy: establish was not answered 200, so the handoff never began.');
    expect(message).toContain('503  {"code":503,"message":"we do not talk to nobody"}');
    expect(message).toContain('look at its admit gate');
  });

  it('a timeout is explained', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.clock.advance(60_000);
    await bench.idle();
    const { message } = await errorOf(bench.nextReply());
    expect(message).toContain('is closed: ended by a timeout.');
    expect(message).toContain('- the wait timeout passed without a reply: set a greeting');
  });

  it('faults that are on are named', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.faults.set('drop', { on: ['chat'] });
    await bench.say('hello');
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('→ POST /…/chat (fault: drop)');
    expect(message).toContain('---  the connection was dropped on purpose');
    expect(message).toContain('- faults are on: drop. bench.faults.clear() ends them.');
  });

  it('a delivery that waits for the clock is explained', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.faults.set('delay', { delayMs: 10, on: ['chat'] });
    const saying = bench.say('hello');
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('What is held back waits for bench.clock.advance().');
    bench.clock.advance(10);
    await saying;
    expect(await bench.nextReply()).toMatchObject({ text: 'You said: hello' });
  });

  it('wrong credentials are explained', async () => {
    const bench = await createTestBench({ receiver: (options) => echoReceiver(options) });
    untilTestEnds(bench).faults.set('wrongCredentials');
    expect(await bench.agentMessage()).toMatchObject({ status: 401 });
    const auth = { message: noAuth(), handoff: () => false };
    const closed = untilTestEnds(await createTestBench({ receiver: createReceiver({ auth, log: false }) }));
    await closed.requestHandoff();
    const { message } = await errorOf(closed.nextReply(soon));
    expect(message).toContain('→ POST /conversation/establish  401');
    expect(message).toContain('- the receiver does not take the credentials: hand it the options');
  });

  it('a wrong path is explained', async () => {
    const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false });
    const bench = untilTestEnds(await createTestBench({ receiver, path: '/webhook' }));
    await bench.requestHandoff();
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('→ POST /webhook/conversation/establish  404');
    expect(message).toContain('- the receiver has nothing at that path: tell the bench its path');
  });

  it('an answer that no receiver should give is explained', async () => {
    const bench = untilTestEnds(await createTestBench({ receiver: teapot }));
    await bench.requestHandoff();
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('- the receiver answered establish with 418, and only 200 counts.');
  });

  it('a receiver that does not answer is explained', async () => {
    const simulator = { deliveryTimeoutMs: 50 };
    const bench = untilTestEnds(await createTestBench({ receiver: silent, simulator }));
    await bench.requestHandoff();
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('- the receiver has not answered establish: no answer within 50 ms.');
  });

  it("a key that is not the service's is explained", async () => {
    const bench = await createTestBench({
      receiver: ({ auth, service }) => echoReceiver({ auth, service: { ...service, apiKey: 'another-key' } }),
    });
    untilTestEnds(bench);
    await bench.requestHandoff();
    await bench.say('hello');
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('← POST /v1/human/message/receive  401');
    expect(message).toContain('give it the baseUrl and apiKey of bench.service');
  });
});

describe('wrong use', () => {
  it('of a bench without a receiver', async () => {
    const bench = untilTestEnds(await createTestBench());
    const expected = {
      code: 'NOT_CONNECTED',
      message:
        'this bench has no receiver: pass one to createTestBench({ receiver }), or call await bench.connect(app, { path }).',
    };
    expect(await errorOf(bench.requestHandoff())).toMatchObject(expected);
    expect(await errorOf(bench.say('hello'))).toMatchObject(expected);
    expect(await errorOf(bench.agentMessage())).toMatchObject(expected);
    expect(await errorOf(bench.probe())).toMatchObject(expected);
    expect(await errorOf(() => bench.url)).toMatchObject(expected);
    expect(bench.replies).toEqual([]);
  });

  it('of a bench without a conversation', async () => {
    const { bench } = await echoBench();
    const error = await errorOf(bench.say('hello'));
    expect(error.code).toBe('NO_CONVERSATION');
    expect(error.message).toBe(
      `no user has asked for a human yet.

What passed (→ to the receiver, ← to the service):
nothing

Look at:
- nothing was sent yet: begin with await bench.requestHandoff().`,
    );
    expect(await errorOf(() => bench.conversation)).toMatchObject({ code: 'NO_CONVERSATION' });
  });

  it('of a conversation that is over', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.closeByUser();
    const error = await errorOf(bench.say('hello'));
    expect(error.code).toBe('CONVERSATION_OVER');
    expect(error.message).toMatch(
      /^the user has nobody to talk to any more\.\n\nConversation .* ended by the user/,
    );
    expect(error.message).toContain('→ POST /…/conversation/close');
    expect(await errorOf(bench.closeByUser())).toMatchObject({ code: 'CONVERSATION_OVER' });
  });

  it('of a bench that was closed', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.close();
    const expected = { code: 'BENCH_CLOSED', message: 'this bench was closed: make another one.' };
    expect(await errorOf(bench.say('hello'))).toMatchObject(expected);
    expect(await errorOf(bench.requestHandoff())).toMatchObject(expected);
    expect(await errorOf(bench.connect(() => noAuth))).toMatchObject(expected);
  });
});

describe('secrets', () => {
  it('do not stand in an error, wherever the receiver puts them', async () => {
    const address = { username: 'acme', secret: 'the-webhook-secret', token: 'token-of-16-char' };
    const bench = untilTestEnds(await createTestBench());
    await bench.connect(
      (request: IncomingMessage, response: ServerResponse) => {
        response.statusCode = 400;
        response.end(JSON.stringify({ url: request.url, key: bench.service.apiKey, secret: address.secret }));
      },
      { path: '/hook', ...address },
    );
    await bench.agentMessage();
    await bench.requestHandoff();
    await bench.say('my own words').catch(() => {});
    const { message } = await errorOf(bench.nextReply(soon));
    expect(message).toContain('→ POST /hook/…/conversation/establish  400');
    for (const secret of [address.secret, address.token, bench.service.apiKey, 'my own words'])
      expect(message).not.toContain(secret);
  });
});
