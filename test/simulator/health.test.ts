import { expect, test } from 'vitest';
import { startSimulator } from './support.js';

const HEALTH = '/v1/webhook/service/health';

test('health needs no key and is plain text', async () => {
  const { call } = await startSimulator();
  const { status, text, headers } = await call('GET', HEALTH, undefined, {});
  expect([status, text]).toEqual([200, 'service is normal']);
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
});

test('health can report an outage and recover', async () => {
  const { simulator, call } = await startSimulator();
  simulator.faults.set('outOfOrder');
  expect((await call('GET', HEALTH, undefined, {})).status).toBe(503);
  simulator.faults.clear('outOfOrder');
  expect((await call('GET', HEALTH, undefined, {})).status).toBe(200);
});

test('health can report an outage for a limited time', async () => {
  const { simulator, call, clock } = await startSimulator();
  simulator.faults.set('outOfOrder', { forMs: 1_000 });
  expect((await call('GET', HEALTH, undefined, {})).status).toBe(503);
  clock.advance(1_000);
  expect((await call('GET', HEALTH, undefined, {})).status).toBe(200);
});
