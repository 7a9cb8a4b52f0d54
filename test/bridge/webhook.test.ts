import express from 'express';
import { describe, expect, it } from 'vitest';
import { dial, parseAnswer, readAll, sendRaw } from '../helpers/raw.js';
import { serve } from '../helpers/serve.js';
import { agentSays, signed } from './fake-desk.js';
import { type Stand, stand } from './stand.js';

const rawHeaders = (body: string): [string, string][] => Object.entries(signed(body));

/** A bridge with an open conversation, and an agent's words for it. */
async function waiting(options: Parameters<typeof stand>[0] = {}): Promise<Stand & { body: string }> {
  const made = await stand(options);
  await made.bench.requestHandoff();
  return { ...made, body: JSON.stringify([agentSays('hello')]) };
}

describe('the webhook', () => {
  it.each([
    ['missing', []],
    ['wrong', [['x-desk-signature', 'f'.repeat(64)]]],
    ['no hexadecimal', [['x-desk-signature', 'secret']]],
  ] as [string, [string, string][]][])('refuses a signature that is %s', async (_what, headers) => {
    const { port, body, shown, bridge, logged } = await waiting();
    expect(await sendRaw(port, { headers, body })).toMatchObject({ status: 401 });
    expect(shown()).toEqual([]);
    expect(bridge.stats()).toMatchObject({ forged: 1 });
    expect(logged.text()).not.toContain('S3cret');
  });

  it('refuses a signature that was made for something else', async () => {
    const { port, body, shown } = await waiting();
    expect(await sendRaw(port, { headers: rawHeaders('[]'), body })).toMatchObject({ status: 401 });
    expect(shown()).toEqual([]);
  });

  it('says so where it does not understand what is genuine', async () => {
    const { port } = await waiting();
    expect(await sendRaw(port, { headers: rawHeaders('{'), body: '{' })).toMatchObject({ status: 400 });
  });

  it('takes nothing but POST', async () => {
    const { port } = await waiting();
    const answer = await sendRaw(port, { method: 'GET' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, ['POST']]);
  });

  it('reads no more than its limit', async () => {
    const { port } = await waiting({ bridge: { limits: { bodyBytes: 10 } } });
    const body = 'x'.repeat(11);
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 413 });
  });

  it('does not wait for a body for ever', async () => {
    const { port } = await waiting({ bridge: { limits: { readTimeoutMs: 20 } } });
    const socket = await dial(port);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    expect(parseAnswer(await readAll(socket))).toMatchObject({ status: 408 });
  });

  it('is not there for a desk that sends none', async () => {
    const { port, body } = await waiting({ capabilities: { inbound: ['poll'] } });
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 404 });
  });

  it('answers what the desk wants to hear', async () => {
    const { port, body } = await waiting({
      adapter: { parse: () => ({ events: [], response: { contentType: 'text/plain', body: 'challenge' } }) },
    });
    const answer = await sendRaw(port, { headers: rawHeaders(body), body });
    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([
      200,
      'challenge',
      ['text/plain'],
    ]);
  });

  it('answers 500 where the adapter itself breaks', async () => {
    const { port, body, shown } = await waiting({
      adapter: {
        verify: () => {
          throw new TypeError('a mistake');
        },
      },
    });
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 500 });
    expect(shown()).toEqual([]);
  });

  it('gives the adapter what came, below the mount', async () => {
    const seen: unknown[] = [];
    const { bridge, body } = await waiting({
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
  it('works where the bytes were kept', async () => {
    const { bridge, body, shown } = await waiting();
    const keep = express.json({
      verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
    });
    const { port } = await serve(express().use(keep).use(bridge.webhook));
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 200 });
    expect(shown()).toEqual(['hello']);
  });

  it('works behind express.raw', async () => {
    const { bridge, body, shown } = await waiting();
    const raw = express.raw({ type: () => true });
    const { port } = await serve(express().use(raw).use(bridge.webhook));
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 200 });
    expect(shown()).toEqual(['hello']);
  });

  it('says what to do where they were not', async () => {
    const { bridge, body, shown, logged } = await waiting();
    const { port } = await serve(express().use(express.json()).use(bridge.webhook));
    expect(await sendRaw(port, { headers: rawHeaders(body), body })).toMatchObject({ status: 500 });
    expect(shown()).toEqual([]);
    expect(logged.about('Mount bridge.webhook before express.json()')).toHaveLength(1);
  });
});
