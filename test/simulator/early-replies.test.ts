import { expect, test } from 'vitest';
import { type Answer, botAt, startReceiver, startSimulator } from './support.js';

/** A receiver that calls the platform from within its establish handler, before it answers. */
async function startInline(
  status: number,
  calls: (id: string, call: Caller) => Promise<unknown>,
  earlyReplies: 'refuse' | 'keep' = 'keep',
) {
  let call: Caller = notStarted;
  const receiver = await startReceiver(async ({ path, body }, response) => {
    if (path.endsWith('/establish')) await calls(String(body.conversation_id), call);
    response.writeHead(status).end('{}');
  });
  const started = await startSimulator({ bots: [botAt(receiver.url)], earlyReplies });
  call = started.call;
  return { ...started, receiver };
}

const notStarted = () => Promise.reject(new Error('not started'));
type Caller = (method: string, path: string, body?: unknown) => Promise<Answer>;
const reply = (conversation_id: string, body: string) => ({ conversation_id, timestamp: 1, body });
const REPLY = '/v1/human/message/receive';

test('by default, replies and closes from within the establish handler are refused: 40356', async () => {
  const answers: Answer[] = [];
  const callEarly = async (id: string, call: Caller) => {
    answers.push(await call('POST', REPLY, reply(id, 'one')));
    answers.push(await call('POST', '/v1/human/close', { conversation_id: id, timestamp: 1 }));
  };
  const { simulator, call } = await startInline(200, callEarly, 'refuse');
  const conversation = await simulator.requestHandoff();
  expect(answers).toMatchObject([
    { status: 404, body: { code: 40356 } },
    { status: 404, body: { code: 40356 } },
  ]);
  expect(conversation).toMatchObject({ state: 'connecting', replies: [] });
  expect((await call('POST', REPLY, reply(conversation.id, 'two'))).status).toBe(200);
});

test('kept replies from within the establish handler count as soon as it answers 200', async () => {
  const { simulator, clock } = await startInline(200, async (id, call) => {
    expect((await call('POST', REPLY, reply(id, 'one'))).status).toBe(200);
    expect((await call('POST', REPLY, reply(id, 'two'))).status).toBe(200);
    expect(simulator.conversation(id)).toMatchObject({ state: 'requesting', replies: [] });
  });
  const conversation = await simulator.requestHandoff();
  expect(conversation.state).toBe('connected');
  expect(conversation.replies.map(({ text }) => text)).toEqual(['one', 'two']);
  clock.advance(60_000);
  expect(conversation.state).toBe('connected');
});

test('kept replies are dropped if establish is refused', async () => {
  const { simulator } = await startInline(503, (id, call) => call('POST', REPLY, reply(id, 'one')));
  const conversation = await simulator.requestHandoff();
  expect(conversation).toMatchObject({ state: 'busy', replies: [] });
});

test('a kept close takes effect after the replies before it', async () => {
  const answers: Answer[] = [];
  const { simulator } = await startInline(200, async (id, call) => {
    answers.push(await call('POST', REPLY, reply(id, 'We are closed today.')));
    answers.push(await call('POST', '/v1/human/close', { conversation_id: id, timestamp: 1 }));
    answers.push(await call('POST', REPLY, reply(id, 'after the close')));
  });
  const conversation = await simulator.requestHandoff();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(conversation).toMatchObject({ state: 'closed', endedBy: 'agent' });
  expect(conversation.replies.map(({ text }) => text)).toEqual(['We are closed today.']);
});

test('a user who leaves before establish is answered is closed after the answer', async () => {
  const { simulator, receiver } = await startInline(200, async (id) => {
    void simulator.conversation(id)?.closeByUser();
  });
  const conversation = await simulator.requestHandoff();
  await simulator.idle();
  expect(conversation).toMatchObject({ state: 'closed', endedBy: 'user' });
  expect(receiver.paths()).toEqual(['/webhook/conversation/establish', '/webhook/conversation/close']);
});

test('messages typed during a refused establish are never sent', async () => {
  const said: unknown[] = [];
  const { simulator, receiver } = await startInline(500, async (id) => {
    void simulator
      .conversation(id)
      ?.say('hello?')
      .then((delivery) => said.push(delivery));
  });
  await simulator.requestHandoff();
  await simulator.idle();
  expect(receiver.received).toHaveLength(1);
  expect(said).toMatchObject([{ status: null, error: 'not sent: the handoff was not accepted' }]);
});
