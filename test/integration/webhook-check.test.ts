import { describe, expect, it } from 'vitest';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';
import { startIntegration } from './integration-setup.js';

describe('a webhook check, from the client through the simulator to the receiver', () => {
  it('reports every webhook, and reaches probe handlers only', async () => {
    const { client, receiverUrl, seen, exchanges } = await startIntegration();
    expect(await client.webhooks.check()).toEqual({
      results: [
        {
          type: 'message',
          component_id: null,
          component_name: null,
          webhook_url: `${receiverUrl}/`,
          reachable: true,
          http_status: 200,
          latency_ms: expect.any(Number),
        },
        {
          type: 'human_service',
          component_id: 'desk',
          component_name: 'The desk',
          webhook_url: `${receiverUrl}/${PATH_TOKEN}`,
          reachable: true,
          http_status: 200,
          latency_ms: expect.any(Number),
        },
      ],
      unreadable: 0,
    });
    expect(seen.map(({ event }) => event)).toEqual(['probe', 'probe']);
    const probes = exchanges.filter(({ path }) => !path.startsWith('/v1/'));
    expect(probes.map(({ request }) => JSON.parse(request).istest)).toEqual([true, true]);
  });

  it("reports each webhook's problem", async () => {
    const { client, simulator, receiverUrl } = await startIntegration({
      simulator: { probeTimeoutMs: 2_000 },
    });
    const silent = await serve(() => {});
    simulator.bots.update('bot-1', {
      message: { url: `${receiverUrl}/`, username: 'another-user', secret: 'another-secret' },
      humanServices: [
        { componentId: 'slow', url: silent.url },
        { componentId: 'lost', url: `${receiverUrl}/nowhere` },
        { componentId: 'gone', url: 'http://127.0.0.1:1' },
      ],
    });
    const { results } = await client.webhooks.check();
    expect(
      results.map(({ component_id, reachable, http_status }) => [component_id, reachable, http_status]),
    ).toEqual([
      [null, false, 401],
      ['slow', false, null],
      ['lost', false, 404],
      ['gone', false, null],
    ]);
  });

  it('of a bot without webhooks is empty', async () => {
    const { clientWith, simulator } = await startIntegration();
    simulator.bots.add({ id: 'bot-2', apiKey: 'api-key-of-bot-2' });
    expect(await clientWith('api-key-of-bot-2').webhooks.check()).toEqual({ results: [], unreadable: 0 });
  });

  it.each(['establish', 'chat', 'close'] as const)(
    'of %s is answered and reaches probe handlers only',
    async (endpoint) => {
      const { simulator, seen } = await startIntegration();
      expect(await simulator.probe({ componentId: 'desk', endpoint })).toMatchObject({ status: 200 });
      expect(seen).toMatchObject([{ event: 'probe', payload: { endpoint } }]);
    },
  );
});

describe('the health of the platform', () => {
  it('is normal, and requires no key', async () => {
    const { client, exchangesWith } = await startIntegration();
    expect(await client.webhooks.health()).toMatchObject({ available: true, status: 200 });
    expect(exchangesWith('/v1/webhook/service/health')).toMatchObject([
      { method: 'GET', answer: 'service is normal' },
    ]);
  });

  it('is not available during an outage', async () => {
    const { client, simulator } = await startIntegration();
    simulator.faults.set('outOfOrder');
    expect(await client.webhooks.health()).toMatchObject({ available: false, status: 503, reason: 'status' });
    simulator.faults.clear();
    simulator.faults.set('answerNothing', { on: ['health'] });
    expect(await client.webhooks.health({ timeoutMs: 50 })).toMatchObject({
      available: false,
      reason: 'timeout',
    });
  });
});
