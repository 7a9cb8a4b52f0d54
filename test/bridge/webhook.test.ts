import express from 'express';
import { describe, expect, it } from 'vitest';
import type { InboundEvent, InboundMessage } from '../../src/public/adapter.js';
import type { ReceiverRequest } from '../../src/public/bindings.js';
import { eventually } from '../helpers/eventually.js';
import { dial, parseAnswer, readAll, sendRaw } from '../helpers/raw.js';
import { serve } from '../helpers/serve.js';
import { agentSays, signatureHeaders } from './fake-desk.js';
import { type BridgeSetup, setUpBridge } from './setup.js';

const rawHeaders = (body: string): [string, string][] => Object.entries(signatureHeaders(body));

/** A bridge with an open conversation, and the body of an agent's reply. */
async function setUpConversation(
  options: Parameters<typeof setUpBridge>[0] = {},
): Promise<BridgeSetup & { body: string }> {
  const made = await setUpBridge(options);
  await made.bench.requestHandoff();
  return { ...made, body: JSON.stringify([agentSays('hello')]) };
}

describe('the webhook', () => {
  it.each([
    ['missing', []],
    ['wrong', [['x-desk-signature', 'f'.repeat(64)]]],
    ['no hexadecimal', [['x-desk-signature', 'secret']]],
  ] as [string, [string, string][]][])('refuses a signature that is %s', async (_what, headers) => {
    const { port, body, shown, bridge, logged } = await setUpConversation();
    expect(await sendRaw(port, { headers, body })).toMatchObject({ status: 401 });
    expect(shown()).toEqual([]);
    expect(bridge.stats()).toMatchObject({ forged: 1 });
    expect(logged.text()).not.toContain('S3cret');
  });

  it('refuses the signature of another body', async () => {
    const { port, body, shown } = await setUpConversation();
    expect(await sendRaw(port, { headers: rawHeaders('[]'), body })).toMatchObject({ status: 401 });
    expect(shown()).toEqual([]);
  });

  it('answers 400 to a genuine request that it cannot read', async () => {
    const { port } = await setUpConversation();
    expect(await sendRaw(port, { headers: rawHeaders('{'), body: '{' })).toMatchObject({ status: 400 });
  });

  it('accepts only POST', async () => {
    const { port } = await setUpConversation();
    const answer = await sendRaw(port, { method: 'GET' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, ['POST']]);
  });

  it('answers 200 to HEAD, with which helpdesks validate the address', async () => {
    const { port, bridge } = await setUpConversation();
    expect(await sendRaw(port, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(bridge.stats()).toMatchObject({ forged: 0 });
  });

  it('limits the size of the body', async () => {
    const { port } = await setUpConversation({ bridge: { limits: { bodyBytes: 10 } } });
    const body = 'x'.repeat(11);
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 413 });
  });

  it.each<[string, Pick<ReceiverRequest, 'rawBody' | 'parsedBody' | 'read'>]>([
    ['that was kept', { rawBody: new Uint8Array(11), read: null }],
    ['behind a raw parser', { parsedBody: new Uint8Array(11), read: null }],
    ['that a binding reads itself', { read: () => new Uint8Array(11) }],
  ])('limits the size of a body %s', async (_what, given) => {
    const { bridge } = await setUpConversation({ bridge: { limits: { bodyBytes: 10 } } });
    const answers: number[] = [];
    const request = { method: 'POST', url: '/', headers: {}, ...given };
    await bridge.handle(request, ({ status }) => answers.push(status));
    expect(answers).toEqual([413]);
  });

  it('limits the time for reading the body', async () => {
    const { port } = await setUpConversation({ bridge: { limits: { readTimeoutMs: 20 } } });
    const socket = await dial(port);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    expect(parseAnswer(await readAll(socket))).toMatchObject({ status: 408 });
  });

  it('answers 404 for an adapter without webhooks', async () => {
    const { port, body } = await setUpConversation({ capabilities: { inbound: ['poll'] } });
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 404 });
  });

  it('sends the response that the adapter returns', async () => {
    const { port, body } = await setUpConversation({
      adapter: { parse: () => ({ events: [], response: { contentType: 'text/plain', body: 'challenge' } }) },
    });
    const answer = await sendRaw(port, { headers: rawHeaders(body), body });
    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([
      200,
      'challenge',
      ['text/plain'],
    ]);
  });

  it.each([
    ['of an unknown kind', { ...agentSays('x'), kind: 'rating' }, 'kind: '],
    ['without a text', { ...agentSays('x'), text: undefined }, 'text: '],
    ['that may be a note or not', { ...agentSays('x'), internal: undefined }, 'internal: '],
    ['without an author', { ...agentSays('x'), author: undefined }, 'author: '],
    ['without an id', { ...agentSays('x'), id: '' }, 'id: '],
    ['that is nothing', null, 'event: '],
  ])('leaves out an event %s, says so, and takes those beside it', async (_what, event, problem) => {
    const { bridge, bench, sendEvents, shown, logged } = await setUpConversation();
    expect(await sendEvents(event as InboundEvent, agentSays('and the next'))).toBe(200);
    await eventually(() => expect(shown()).toEqual(['and the next']));
    expect(bench.conversation.endedBy).toBeNull();
    expect(bridge.stats()).toMatchObject({ dropped: 1 });
    const [line] = logged.about('returned a malformed event');
    expect(line).toMatchObject({ level: 50, problems: [expect.stringContaining(problem)] });
  });

  it('takes numbers as ids, and what is left out as none', async () => {
    const { sendEvents, shown } = await setUpConversation();
    const { messageId: _messageId, ...event } = agentSays('hello') as InboundMessage;
    const numbered = { ...event, id: 7, author: { kind: 'agent' } } as unknown as InboundEvent;
    expect(await sendEvents(numbered, numbered)).toBe(200);
    await eventually(() => expect(shown()).toEqual(['hello']));
  });

  it('answers 500 when the adapter throws', async () => {
    const { port, body, shown } = await setUpConversation({
      adapter: {
        verify: () => {
          throw new TypeError('a mistake');
        },
      },
    });
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 500 });
    expect(shown()).toEqual([]);
  });

  it('logs answers that a binding cannot send, and does not reject', async () => {
    const { bridge, logged } = await setUpConversation();
    const broken = (): never => {
      throw new TypeError('a mistake of the binding');
    };
    await bridge.handle({ method: 'POST', url: '/', headers: {}, read: () => new Uint8Array() }, broken);
    expect(logged.about('the answer to a webhook request could not be sent')).toMatchObject([
      { status: 401 },
      { status: 500 },
    ]);
    expect(logged.about('the adapter threw')).toEqual([]);
  });

  it('passes the request to the adapter, with the path below the mount', async () => {
    const seen: unknown[] = [];
    const { bridge, body } = await setUpConversation({
      adapter: {
        parse: ({ method, url, headers }) => {
          seen.push([method, url, headers['x-twice']]);
          return { events: [] };
        },
      },
    });
    const app = express().use('/desk', bridge.webhook);
    const { port } = await serve(app);
    const headers: [string, string][] = [...rawHeaders(body), ['X-Twice', 'a'], ['X-Twice', 'b']];
    expect(await sendRaw(port, { path: '/desk/in?x=1', headers, body })).toMatchObject({ status: 200 });
    expect(seen).toEqual([['POST', '/in?x=1', 'a, b']]);
  });
});

describe('behind a body parser', () => {
  it('works when the raw body was kept', async () => {
    const { bridge, body, shown } = await setUpConversation();
    const keep = express.json({
      verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
    });
    const { port } = await serve(express().use(keep).use(bridge.webhook));
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 200 });
    expect(shown()).toEqual(['hello']);
  });

  it('works behind express.raw', async () => {
    const { bridge, body, shown } = await setUpConversation();
    const raw = express.raw({ type: () => true });
    const { port } = await serve(express().use(raw).use(bridge.webhook));
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 200 });
    expect(shown()).toEqual(['hello']);
  });

  it('logs what to do when the raw body was not kept', async () => {
    const { bridge, body, shown, logged } = await setUpConversation();
    const { port } = await serve(express().use(express.json()).use(bridge.webhook));
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 500 });
    expect(shown()).toEqual([]);
    expect(logged.about('Mount bridge.webhook before express.json()')).toHaveLength(1);
  });
});
