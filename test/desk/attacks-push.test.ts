import { describe, expect, it } from 'vitest';
import { isPublicAddress, lookupPublic, sendPush } from '../../src/desk/server/notify/push-request.js';
import { serve } from '../helpers/serve.js';
import { createDeskEnvironment } from './desk-environment.js';
import { startPushService } from './push-service.js';

const FORBIDDEN = [
  'http://push.example.com/1',
  'ftp://push.example.com/1',
  'https://localhost/1',
  'https://127.0.0.1/1',
  'https://127.1/1',
  'https://2130706433/1',
  'https://0x7f000001/1',
  'https://10.0.0.5/1',
  'https://172.16.0.1/1',
  'https://192.168.1.1/1',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/1',
  'https://[::ffff:10.0.0.5]/1',
  'https://[fd00::1]/1',
  'https://[fe80::1]/1',
  'https://[64:ff9b::a00:5]/1',
  'https://metadata/1',
  'https://push.example.com:8443/1',
  'https://user:password@push.example.com/1',
  `https://push.example.com/${'x'.repeat(1_000)}`,
  'no address',
];

const REQUEST = { headers: { 'content-length': 1 }, body: Buffer.from('x') };
const { signal } = new AbortController();

describe('a push service that an agent names', () => {
  it('is refused inside the network of the desk', async () => {
    const service = await startPushService();
    const { start } = await createDeskEnvironment();
    const { agent, desk, audit } = await start();
    const ann = await agent('ann');
    for (const endpoint of FORBIDDEN) {
      const answer = await ann.send('POST', '/api/push', { ...service.subscribe('ann'), endpoint });
      expect([endpoint, answer.status]).toEqual([endpoint, 400]);
      // It is checked again before a request: another version may have written to the store.
      const sent = sendPush(endpoint, REQUEST, { allowLoopback: false, signal });
      await expect(sent, endpoint).rejects.toThrow('not allowed');
    }
    expect(await desk.store.list('push-subscription')).toEqual([]);
    expect((await audit()).at(-1)).toMatchObject({ agent: 'ann', action: 'refused: INVALID' });
  });

  it('is not reached by a name of a private address', async () => {
    const code = await new Promise((resolve) =>
      lookupPublic('localhost', {}, (error) => resolve(error?.code ?? null)),
    );
    expect(code).toBe('NOT_PUBLIC');
    expect(['8.8.8.8', '2606:4700::1111'].map(isPublicAddress)).toEqual([true, true]);
    expect(['2002:0a00:0005::1', '2001:db8::1', '::', '100.64.0.1'].map(isPublicAddress)).not.toContain(true);
  });

  it('is not followed to another address', async () => {
    const reached: string[] = [];
    const inside = await serve((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    });
    const { url } = await serve((_request, response) =>
      response.writeHead(307, { location: `${inside.url}/secret` }).end(),
    );
    const answer = await sendPush(`${url}/push`, REQUEST, { allowLoopback: true, signal });
    expect(answer.status).toBe(307);
    expect(reached).toEqual([]);
  });

  it('has a time limit for its answer, and for no longer than it takes to begin', async () => {
    const hanging = await serve(() => undefined);
    const limits = { allowLoopback: true, signal, timeoutMs: 100 };
    await expect(sendPush(`${hanging.url}/push`, REQUEST, limits)).rejects.toThrow(/abort|timeout/i);
    // An answer without end is not read.
    const endless = await serve((_request, response) => void response.writeHead(201).write('x'));
    const answer = await sendPush(`${endless.url}/push`, REQUEST, { allowLoopback: true, signal });
    expect(answer.status).toBe(201);
  });
});

it('a subscription with other keys than those of a browser is refused', async () => {
  const service = await startPushService();
  const { start } = await createDeskEnvironment();
  const instance = await start({ webPush: { allowLoopback: true } });
  const ann = await instance.agent('ann');
  const subscription = service.subscribe('ann');
  for (const wrong of [
    { keys: { p256dh: 'AAAA', auth: subscription.keys.auth } },
    { keys: { p256dh: subscription.keys.p256dh, auth: `${subscription.keys.auth}AAAA` } },
    { keys: {} },
    { language: '../en' },
  ]) {
    expect((await ann.send('POST', '/api/push', { ...subscription, ...wrong })).status).toBe(400);
  }
  const forged = await ann.send('POST', '/api/push', subscription, { origin: 'https://evil.example' });
  expect(forged.status).toBe(403);
  expect(await instance.desk.store.list('push-subscription')).toEqual([]);
});
