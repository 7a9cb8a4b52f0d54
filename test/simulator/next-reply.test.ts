import { expect, test } from 'vitest';
import { botAt, replyTo, startReceiver, startSimulator } from './support.js';

async function start() {
  const receiver = await startReceiver();
  const started = await startSimulator({ bots: [botAt(receiver.url)] });
  return { ...started, conversation: await started.simulator.requestHandoff() };
}

test('each call returns the next reply, whether it came before or comes after', async () => {
  const { call, conversation } = await start();
  await replyTo(call, conversation.id, 'one');
  const second = conversation.nextReply().then(() => conversation.nextReply());
  await replyTo(call, conversation.id, 'two');
  expect((await second).text).toBe('two');
});

test('two waiting calls get one reply each, in order', async () => {
  const { call, conversation } = await start();
  const both = Promise.all([conversation.nextReply(), conversation.nextReply()]);
  await replyTo(call, conversation.id, 'one');
  await replyTo(call, conversation.id, 'two');
  expect((await both).map(({ text }) => text)).toEqual(['one', 'two']);
});

test('a wait without a reply times out with an error', async () => {
  const { conversation } = await start();
  await expect(conversation.nextReply({ timeoutMs: 20 })).rejects.toMatchObject({
    code: 'NO_REPLY',
    message: expect.stringMatching(/waited 20 ms .*is connecting/),
  });
});

test('waiting calls are rejected when the conversation ends', async () => {
  const { conversation } = await start();
  const waiting = expect(conversation.nextReply()).rejects.toMatchObject({ code: 'NO_REPLY' });
  await conversation.closeByUser();
  await waiting;
});

test('onChange reports every state and reply until it is removed', async () => {
  const { call, conversation } = await start();
  const seen: string[] = [];
  const stop = conversation.onChange(({ state, replies }) => seen.push(`${state} ${replies.length}`));
  await replyTo(call, conversation.id, 'one');
  await replyTo(call, conversation.id, 'two');
  stop();
  await conversation.closeByUser();
  expect(seen).toEqual(['connected 1', 'connected 2']);
});
