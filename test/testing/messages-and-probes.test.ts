import { describe, expect, it } from 'vitest';
import { createPlatformClient } from '../../src/public/client.js';
import { echoBench } from './support.js';

describe('the message webhook on the bench', () => {
  it("receives a bot's answers", async () => {
    const { bench, handled } = await echoBench();
    expect(await bench.botMessage('It is on its way.')).toMatchObject({
      status: 200,
      body: { code: 200, msg: 'success' },
    });
    await bench.botMessage({ text: 'And here.', userId: 'ada', conversationId: 'a-1' });
    expect(handled).toMatchObject([
      { event: 'message', text: 'It is on its way.' },
      { event: 'message', text: 'And here.', conversationId: 'a-1', payload: { user_id: 'ada' } },
    ]);
  });

  it("receives agents' replies too", async () => {
    const { bench, handled } = await echoBench();
    await bench.requestHandoff({ botConversationId: 'a-1' });
    await bench.say('hello');
    await bench.idle();
    expect(handled.at(-1)).toMatchObject({
      event: 'message',
      conversationId: 'a-1',
      text: 'You said: hello',
    });
  });
});

describe('a probe on the bench', () => {
  it.each([undefined, 'establish', 'chat', 'close'] as const)(
    'reaches %s and is only observed',
    async (endpoint) => {
      const { bench, handled } = await echoBench();
      expect(await bench.probe(endpoint ? { endpoint } : undefined)).toMatchObject({ status: 200 });
      expect(handled).toMatchObject([{ event: 'probe', payload: { endpoint: endpoint ?? 'message' } }]);
    },
  );

  it('is sent by a webhook check of the platform client', async () => {
    const { bench } = await echoBench();
    const { results } = await createPlatformClient(bench.platform).webhooks.check();
    expect(results).toMatchObject([
      { type: 'message', reachable: true, webhook_url: bench.url },
      { type: 'human_service', reachable: true, component_id: 'human-service' },
    ]);
  });
});
