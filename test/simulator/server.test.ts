import { expect, test } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { startSimulator } from './support.js';

test('a port in use is reported with advice', async () => {
  const { baseUrl } = await startSimulator();
  const second = createSimulator();
  await expect(second.listen(Number(new URL(baseUrl).port))).rejects.toMatchObject({ code: 'CANNOT_LISTEN' });
  expect(await second.listen()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await second.close();
});

test('listens once at a time, and has a URL while it listens', async () => {
  const { simulator, baseUrl } = await startSimulator();
  expect(simulator.url()).toBe(baseUrl);
  await expect(simulator.listen()).rejects.toMatchObject({ code: 'CANNOT_LISTEN' });
  await simulator.close();
  expect(simulator.url()).toBeNull();
  await simulator.close();
});

test('the OpenAPI document is served if given', async () => {
  const { call } = await startSimulator({ openapi: { openapi: '3.1.0' } });
  expect((await call('GET', '/openapi.json')).body).toEqual({ openapi: '3.1.0' });
  const without = await startSimulator();
  expect((await without.call('GET', '/openapi.json')).status).toBe(404);
});
