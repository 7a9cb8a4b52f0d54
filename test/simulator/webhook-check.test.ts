import { expect, test } from 'vitest';
import { botMessage } from '../../src/protocol/index.js';
import { botAt, NOWHERE, startReceiver, startSimulator } from './support.js';

const CHECK = '/v1/webhook/check';

test('reports the message webhook and every component, with null ids for the message webhook', async () => {
  const receiver = await startReceiver();
  const { call } = await startSimulator({
    bots: [
      botAt(receiver.url, {
        message: { url: receiver.url },
        humanServices: [
          { componentId: 'desk-1', componentName: 'The desk', url: receiver.url },
          { componentId: 'desk-2', url: `${receiver.url}/two` },
        ],
      }),
    ],
  });
  const { status, body } = await call('POST', CHECK);
  const found = { reachable: true, http_status: 200, latency_ms: expect.any(Number) };
  expect(status).toBe(200);
  expect(body).toEqual({
    results: [
      { type: 'message', component_id: null, component_name: null, webhook_url: receiver.url, ...found },
      {
        type: 'human_service',
        component_id: 'desk-1',
        component_name: 'The desk',
        webhook_url: receiver.url,
        ...found,
      },
      {
        type: 'human_service',
        component_id: 'desk-2',
        component_name: 'desk-2',
        webhook_url: `${receiver.url}/two`,
        ...found,
      },
    ],
  });
});

test('probes are in the standard message format with istest, and carry the credentials', async () => {
  const receiver = await startReceiver();
  const { call } = await startSimulator({
    bots: [botAt(receiver.url, { message: { url: receiver.url, username: 'hook' } })],
  });
  await call('POST', CHECK);
  expect(receiver.received).toHaveLength(2);
  for (const { body } of receiver.received) {
    expect(body.istest).toBe(true);
    expect(botMessage.safeParse(body).success).toBe(true);
  }
  const sent = receiver.received.map(({ headers }) => headers.authorization);
  expect(new Set(sent)).toEqual(new Set(['Bearer hook', undefined]));
});

test('a request with a body is refused with 40000', async () => {
  const { call } = await startSimulator({ bots: [{ id: 'bot-1', apiKey: 'the-key-of-bot-1' }] });
  expect(await call('POST', CHECK, { webhook_url: NOWHERE })).toMatchObject({
    status: 400,
    body: { code: 40000, message: 'Parameter error: body: expected none' },
  });
});

test('webhooks that are not configured do not appear', async () => {
  const { call } = await startSimulator({ bots: [{ id: 'bot-1', apiKey: 'the-key-of-bot-1' }] });
  expect((await call('POST', CHECK)).body).toEqual({ results: [] });
});

test.each([201, 204, 302, 401, 404, 500])('status %i is not reachable', async (status) => {
  const receiver = await startReceiver((_received, response) => {
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)] });
  const [result] = await simulator.check('the-key-of-bot-1');
  expect(result).toMatchObject({ reachable: false, http_status: status });
});

test('an address without a listener is not reachable and has no status', async () => {
  const { call } = await startSimulator({ bots: [botAt(NOWHERE)] });
  expect((await call('POST', CHECK)).body).toMatchObject({
    results: [{ reachable: false, http_status: null, latency_ms: expect.any(Number) }],
  });
});

test('a receiver that never answers times out without delaying the check of another', async () => {
  const hanging = await startReceiver(() => {});
  const good = await startReceiver();
  const { simulator } = await startSimulator({
    probeTimeoutMs: 1_000,
    bots: [botAt(hanging.url, { message: { url: good.url } })],
  });
  const [message, desk] = await simulator.check('the-key-of-bot-1');
  expect(message).toMatchObject({ reachable: true, http_status: 200 });
  expect(desk).toMatchObject({ reachable: false, http_status: null });
  expect(desk?.latency_ms).toBeGreaterThanOrEqual(990);
});

test('a receiver that stops in the middle of its answer is not reachable', async () => {
  const receiver = await startReceiver((_received, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"co');
    setImmediate(() => response.destroy());
  });
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)] });
  const [result] = await simulator.check('the-key-of-bot-1');
  expect(result).toMatchObject({ reachable: false, http_status: null });
});

test('probe() tests one webhook, or one handoff endpoint with its format', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({
    bots: [botAt(receiver.url, { message: { url: `${receiver.origin}/message` } })],
  });
  await simulator.probe();
  await simulator.probe({ componentId: 'desk-1' });
  const delivery = await simulator.probe({ endpoint: 'chat' });
  expect(delivery).toMatchObject({ event: 'probe', status: 200, accepted: true });
  expect(receiver.paths()).toEqual(['/message', '/webhook', '/webhook/chat']);
  expect(receiver.received[2]?.body).toMatchObject({ body: 'availability test', istest: true });
});

test('check() refuses a wrong key as the HTTP endpoint does', async () => {
  const { simulator } = await startSimulator();
  await expect(simulator.check('nobody')).rejects.toMatchObject({ platformCode: 40127 });
});
