import { expect, test } from 'vitest';
import { botAt, replyTo, startReceiver, startSimulator } from './support.js';

test('every request and answer in both directions is recorded, in order', async () => {
  const receiver = await startReceiver();
  const { simulator, call } = await startSimulator({ bots: [botAt(receiver.url)] });
  const conversation = await simulator.requestHandoff();
  await replyTo(call, conversation.id, 'Hello');
  await call('GET', '/v1/webhook/service/health');
  expect(simulator.traffic.exchanges()).toMatchObject([
    {
      id: 1,
      direction: 'sent',
      what: 'establish',
      method: 'POST',
      url: `${receiver.url}/conversation/establish`,
      body: expect.stringContaining(conversation.id),
      answer: { status: 200, body: '{"code":200,"message":"success"}', latencyMs: expect.any(Number) },
      error: null,
    },
    {
      id: 2,
      direction: 'received',
      what: 'reply',
      url: '/v1/human/message/receive',
      body: expect.stringContaining('Hello'),
      answer: { status: 200 },
    },
    { id: 3, direction: 'received', what: 'health', answer: { body: 'service is normal' } },
  ]);
});

test('no key, secret, header value or path token is recorded', async () => {
  const receiver = await startReceiver(({ headers }, response) => {
    response.setHeader('x-echo', String(headers.authorization));
    response.setHeader('set-cookie', 'session=cookie-secret');
    response.end(JSON.stringify({ code: 200, message: headers['x-desk'] }));
  });
  const desk = {
    componentId: 'desk-1',
    url: `${receiver.url}/Zm9vYmFyLXBhdGgtdG9rZW4?sig=query-secret`,
    headers: { 'x-desk': 'header-secret' },
  };
  const { simulator, call } = await startSimulator({
    bots: [
      botAt(receiver.url, {
        message: { url: receiver.url, username: 'hook-user', secret: 'hook-secret' },
        humanServices: [desk],
      }),
    ],
  });
  await simulator.botMessage({ text: 'Hello' });
  const conversation = await simulator.requestHandoff();
  await replyTo(call, conversation.id, 'my key is the-key-of-bot-1');
  await simulator.idle();
  const log = JSON.stringify(simulator.traffic.exchanges());
  for (const secret of [
    'the-key-of-bot-1',
    'hook-user',
    'hook-secret',
    'header-secret',
    'query-secret',
    'cookie-secret',
    'Zm9vYmFyLXBhdGgtdG9rZW4',
    Buffer.from('hook-user:hook-secret').toString('base64'),
  ])
    expect(log).not.toContain(secret);
  expect(log).toContain('Basic ****');
  expect(log).toContain('Bearer ****');
});

test('the log keeps the newest, and long bodies are cut', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)], trafficLimit: 3 });
  const conversation = await simulator.requestHandoff();
  for (const text of ['1', '2', 'x'.repeat(10_000)]) await conversation.say(text);
  const exchanges = simulator.traffic.exchanges();
  expect(exchanges.map(({ id }) => id)).toEqual([2, 3, 4]);
  expect(exchanges[2]?.body?.length).toBe(4_001);
  simulator.traffic.clear();
  expect(simulator.traffic.exchanges()).toEqual([]);
});

test('listeners are called for a request at once, and again for its answer', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)] });
  const seen: (number | null)[] = [];
  const stop = simulator.traffic.onChange(({ answer }) => seen.push(answer?.status ?? null));
  const conversation = await simulator.requestHandoff();
  stop();
  await conversation.say('unheard');
  expect(seen).toEqual([null, 200]);
});
