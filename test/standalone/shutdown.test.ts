import { describe, expect, it } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { deferred } from '../helpers/deferred.js';
import { API_KEY, fakeService } from '../helpers/fake-service.js';
import { dial, parseAnswer, readAll } from '../helpers/raw.js';
import { ENVIRONMENT } from './environment.js';
import { addressOf, post, runServe } from './program.js';

/** The program with a request under way whose handler waits for the service, until it is released. */
async function withSlowRequest(args: readonly string[] = []) {
  const release = deferred();
  const service = await fakeService(() => release.promise.then(() => 200));
  const program = runServe(args, {
    ...ENVIRONMENT,
    SERVICE_BASE_URL: service.options.baseUrl,
    SERVICE_API_KEY: API_KEY,
    AUTO_REPLY: '{text}',
  });
  const url = await addressOf(program);
  const answer = post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody());
  // It may be cut off, which is no concern of a test that does not look at it.
  answer.catch(() => {});
  await service.came(1);
  return { program, url, answer, release };
}

describe('told to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s, it ends with 0 when nothing runs', async (signal) => {
    const program = runServe([], ENVIRONMENT);
    await addressOf(program);
    program.signal(signal);
    expect(await program.ended).toBe(0);
    expect(program.stdout()).toContain(`"status":"stopping","signal":"${signal}"`);
    expect(program.stdout()).toContain('"status":"stopped","unfinished":0');
  });

  it('it takes no new connections, finishes what runs, and ends with 0', async () => {
    const { program, url, answer, release } = await withSlowRequest();
    program.signal('SIGTERM');
    await program.until(/"status":"stopping","signal":"SIGTERM","pending":1/);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    release.resolve();
    expect((await answer).status).toBe(200);
    expect(await program.ended).toBe(0);
  });

  it('it tells those who are still connected that it is not ready', async () => {
    const { program, url, release } = await withSlowRequest();
    const asking = await dial(Number(new URL(url).port));
    const delivering = await dial(Number(new URL(url).port));
    asking.write('GET /readyz HTTP/1.1\r\n');
    delivering.write(`POST /webhook/${PATH_TOKEN}/chat HTTP/1.1\r\n`);
    // Only a request that has arrived in part keeps its connection: make sure that both have.
    await fetch(`${url}/healthz`);
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    const rest = 'Host: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    asking.write(rest);
    delivering.write(rest);
    const ready = parseAnswer(await readAll(asking));
    expect([ready.status, ready.body]).toEqual([503, '{"status":"draining"}']);
    expect(parseAnswer(await readAll(delivering)).status).toBe(503);
    release.resolve();
    expect(await program.ended).toBe(0);
  });

  it('it waits no longer than it was told, and ends with 1 then', async () => {
    const { program } = await withSlowRequest(['--shutdown-timeout', '50ms']);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toContain('"status":"stopped","unfinished":1');
  });

  it('a second time, it ends at once with 1', async () => {
    const { program } = await withSlowRequest();
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    program.signal('SIGINT');
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toContain('"status":"stopped","forced":true');
  });
});
