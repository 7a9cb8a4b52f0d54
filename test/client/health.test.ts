import { describe, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { clientOf, instantClock, platformAnswering, rawPlatform } from './support.js';

describe('the health of the platform', () => {
  test.each([['service is normal'], ['service is normal\n'], ['  service is normal\r\n']])(
    '200 with "%s" is available',
    async (body) => {
      const platform = await platformAnswering({ body });
      expect(await clientOf(platform).webhooks.health()).toEqual({
        available: true,
        status: 200,
        latencyMs: 0,
      });
    },
  );

  test.each([
    [''],
    ['OK'],
    ['Platform is normal'],
    ['"service is normal"'],
    ['service is normal again'],
    ['x'.repeat(2_000_000)],
  ])('200 with other text is unavailable', async (body) => {
    const platform = await platformAnswering({ body });
    expect(await clientOf(platform).webhooks.health()).toMatchObject({
      available: false,
      status: 200,
      reason: 'body',
    });
  });

  test.each([[201], [204], [404], [429], [500], [503]])(
    'the status %i is unavailable and is not retried',
    async (status) => {
      const platform = await platformAnswering({ status, body: status === 204 ? '' : 'service is normal' });
      expect(await clientOf(platform).webhooks.health()).toMatchObject({
        available: false,
        status,
        reason: 'status',
      });
      expect(platform.requests).toHaveLength(1);
    },
  );

  test('no answer is a timeout', async () => {
    const platform = await rawPlatform(() => undefined);
    expect(await clientOf(platform).webhooks.health({ timeoutMs: 20 })).toMatchObject({
      available: false,
      status: null,
      reason: 'timeout',
    });
  });

  test('a port without a server is unreachable', async () => {
    const client = clientOf({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    expect(await client.webhooks.health()).toMatchObject({
      available: false,
      status: null,
      reason: 'unreachable',
    });
  });

  test('a server without TLS is unreachable', async () => {
    const { baseUrl } = await platformAnswering({ body: 'service is normal' });
    const client = clientOf({ baseUrl: baseUrl.replace('http:', 'https:') });
    expect(await client.webhooks.health()).toMatchObject({ available: false, reason: 'unreachable' });
  });

  test('a broken connection is lost', async () => {
    const platform = await rawPlatform((socket) => socket.resetAndDestroy());
    expect(await clientOf(platform).webhooks.health()).toMatchObject({ available: false, reason: 'lost' });
  });

  test('the latency is measured with the clock', async () => {
    const { clock } = instantClock();
    const client = clientOf(
      { baseUrl: 'http://127.0.0.1' },
      {
        clock,
        fetch: async () => {
          await clock.sleep(123);
          return new Response('service is normal');
        },
      },
    );
    expect(await client.webhooks.health()).toEqual({ available: true, status: 200, latencyMs: 123 });
  });
});
