import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { deferred } from '../helpers/deferred.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { dial, parseAnswer, readAll } from '../helpers/raw.js';
import { ENVIRONMENT } from './environment.js';
import { addressOf, post, runServe } from './program.js';
import { databaseUrl, startPlatform } from './start-program.js';
import { WAIT_OPTIONS } from './wait-options.js';

/** The program with a running handler that waits for the platform until `release`. */
async function withSlowRequest(args: readonly string[] = []) {
  const release = deferred();
  const platform = await fakePlatform(() => release.promise.then(() => 200));
  const program = runServe(args, {
    ...ENVIRONMENT,
    PLATFORM_BASE_URL: platform.options.baseUrl,
    PLATFORM_API_KEY: API_KEY,
    AUTO_REPLY: '{text}',
  });
  const url = await addressOf(program);
  const answer = post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody());
  // The shutdown may abort it, which must not fail a test that does not use the answer.
  answer.catch(() => {});
  await platform.came(1);
  return { program, url, answer, release };
}

describe('a signal to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends the program with 0 when no handler runs: %s',
    async (signal) => {
      const program = runServe([], ENVIRONMENT);
      await addressOf(program);
      program.signal(signal);
      expect(await program.ended).toBe(0);
      expect(program.stdout()).toContain(`"status":"stopping","signal":"${signal}"`);
      expect(program.stdout()).toContain('"status":"stopped","unfinished":0');
    },
  );

  it('refuses new connections, lets running handlers finish, and exits with 0', async () => {
    const { program, url, answer, release } = await withSlowRequest();
    program.signal('SIGTERM');
    await program.until(/"status":"stopping","signal":"SIGTERM","pending":1/);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    release.resolve();
    expect((await answer).status).toBe(200);
    expect(await program.ended).toBe(0);
  });

  it('answers the first request of a connection that it has taken', async () => {
    const program = runServe([], ENVIRONMENT);
    const url = await addressOf(program);
    const socket = await dial(Number(new URL(url).port));
    // It has taken the connection before the one of this request.
    await fetch(`${url}/healthz`);
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    const body = JSON.stringify(chatBody());
    socket.write(
      `POST /webhook/${PATH_TOKEN}/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const answer = parseAnswer(await readAll(socket));
    expect(answer.status).toBe(200);
    expect(await program.ended).toBe(0);
  });

  it('answers later requests 503 on connections that are still open', async () => {
    const { program, url, release } = await withSlowRequest();
    const asking = await dial(Number(new URL(url).port));
    const delivering = await dial(Number(new URL(url).port));
    // Only a connection with an unfinished request stays open: the second one.
    const first = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    asking.write(`${first}GET /readyz HTTP/1.1\r\n`);
    delivering.write(`${first}POST /webhook/${PATH_TOKEN}/chat HTTP/1.1\r\n`);
    await Promise.all([asking, delivering].map((socket) => once(socket, 'data')));
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    const rest = 'Host: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    const answers = Promise.all([readAll(asking), readAll(delivering)]);
    asking.write(rest);
    delivering.write(rest);
    const [ready, delivered] = (await answers).map(parseAnswer);
    expect([ready?.status, ready?.body]).toEqual([503, '{"status":"draining"}']);
    expect(delivered?.status).toBe(503);
    release.resolve();
    expect(await program.ended).toBe(0);
  });

  it('leaves the port open for SHUTDOWN_DELAY: /readyz answers 503, and requests are accepted', async () => {
    const { environment } = await startPlatform();
    const database = { DATABASE_URL: databaseUrl(), AUTO_REPLY: '{text}' };
    // The test ends long before the delay: it stops the program with a second signal.
    const program = runServe([], { ...ENVIRONMENT, ...environment, ...database, SHUTDOWN_DELAY: '3600s' });
    const url = await addressOf(program);
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const answer = await post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody());
    // Proxies take no connection again that is about to be closed.
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    program.signal('SIGINT');
    expect(await program.ended).toBe(1);
  });

  it('closes the port after SHUTDOWN_DELAY, and handles what has arrived meanwhile', async () => {
    const { program, url, answer, release } = await withSlowRequest(['--shutdown-delay', '50ms']);
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    await vi.waitFor(() => expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed'), WAIT_OPTIONS);
    release.resolve();
    expect((await answer).status).toBe(200);
    expect(await program.ended).toBe(0);
  });

  it('waits no longer than SHUTDOWN_TIMEOUT, and exits with 1 then', async () => {
    const { program } = await withSlowRequest(['--shutdown-timeout', '50ms']);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toContain('"status":"stopped","unfinished":1');
  });

  it('exits at once with 1 when it is repeated', async () => {
    const { program } = await withSlowRequest();
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    program.signal('SIGINT');
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toContain('"status":"stopped","forced":true');
  });
});
