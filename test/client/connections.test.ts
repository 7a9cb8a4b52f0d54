import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import {
  CALLS,
  clientOf,
  failureOf,
  instantClock,
  ONCE_ONLY,
  platformAnswering,
  platformOnPort,
  REPEATABLE,
  REPLY,
  rawPlatform,
  SUCCESS,
} from './support.js';

const failingWith = (cause: object) => async (): Promise<Response> => {
  throw new TypeError('fetch failed', { cause });
};

describe('a port without a server', () => {
  test.each([...ONCE_ONLY, ...REPEATABLE])('%s succeeds once the platform is up', async (name) => {
    const port = await freePort();
    let platform = { requests: [] as readonly unknown[] };
    const { clock, slept } = instantClock(async (_, count) => {
      if (count === 2) platform = await platformOnPort(port, SUCCESS);
    });
    await CALLS[name](clientOf({ baseUrl: `http://127.0.0.1:${port}` }, { clock }));
    expect(slept).toEqual([250, 500]);
    expect(platform.requests).toHaveLength(1);
  });

  test('the last error names the address and the remedy', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const error = await failureOf(clientOf({ baseUrl }).reply(REPLY));
    expect(error).toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      endpoint: 'reply',
      status: null,
      platformCode: null,
      outcome: 'not-applied',
      retryable: true,
      attempts: 4,
    });
    expect(error.message).toContain(baseUrl);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).toContain('Check the base URL');
  });
});

test('a port that a fetch of your own refuses is named, and nothing was sent', async () => {
  const error = await failureOf(
    clientOf({ baseUrl: 'http://127.0.0.1:6000' }, { fetch: (url, init) => fetch(url, init) }).reply(REPLY),
  );
  expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', outcome: 'not-applied' });
  expect(error.message).toContain('BLOCKED_PORT');
});

describe('an error of fetch', () => {
  test.each([
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    [{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }],
    [{ code: 'ENOTFOUND' }],
    [{ code: 'EAI_AGAIN' }],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }],
    [{ code: 'ETIMEDOUT', syscall: 'connect' }],
    [{ code: 'EHOSTUNREACH', syscall: 'connect' }],
  ])('%j means that nothing was sent, so a reply is retried', async (cause) => {
    const error = await failureOf(
      clientOf({ baseUrl: 'https://api.example.com' }, { fetch: failingWith(cause) }).reply(REPLY),
    );
    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', outcome: 'not-applied', attempts: 4 });
    expect(error.message).toContain(cause.code);
  });

  test.each([
    [{ code: 'ETIMEDOUT', syscall: 'read' }],
    [{ code: 'EHOSTUNREACH', syscall: 'write' }],
    [{ code: 'ECONNRESET' }],
    [{ code: 'EPIPE', syscall: 'write' }],
    [{ code: 'UND_ERR_SOCKET' }],
    [{ code: 'what is this?' }],
    [{}],
  ])('%j means that the request may have been sent, so a reply is not retried', async (cause) => {
    const error = await failureOf(
      clientOf({ baseUrl: 'https://api.example.com' }, { fetch: failingWith(cause) }).reply(REPLY),
    );
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1 });
    expect(error.message).not.toContain('what is this?');
  });

  test.each([['DEPTH_ZERO_SELF_SIGNED_CERT'], ['CERT_HAS_EXPIRED'], ['ERR_TLS_CERT_ALTNAME_INVALID']])(
    '%s is a certificate problem and not retried',
    async (code) => {
      const error = await failureOf(
        clientOf({ baseUrl: 'https://api.example.com' }, { fetch: failingWith({ code }) }).end({
          conversationId: 'c-1',
        }),
      );
      expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', retryable: false, attempts: 1 });
      expect(error.message).toContain('certificate');
    },
  );

  test('with https to an http server advises to check the scheme', async () => {
    const { baseUrl } = await platformAnswering();
    const error = await failureOf(clientOf({ baseUrl: baseUrl.replace('http:', 'https:') }).reply(REPLY));
    expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE', outcome: 'not-applied', attempts: 1 });
    expect(error.message).toContain('scheme');
  });
});

const GOOD = `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${JSON.stringify(SUCCESS.body)}`;

const WAYS: Record<string, (socket: Socket) => void> = {
  'reset before the answer': (socket) => socket.resetAndDestroy(),
  'closed before the answer': (socket) => socket.end(),
  'closed in the middle of the head': (socket) => socket.end('HTTP/1.1 200 O'),
  'closed in the middle of the body': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":200'),
  'reset in the middle of the body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":200', () => {
      setImmediate(() => socket.resetAndDestroy());
    });
  },
  'no HTTP at all': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
};

describe.each(Object.keys(WAYS))('a lost connection: %s', (way) => {
  test.each(ONCE_ONLY)('%s is sent once, and its outcome is unknown', async (name) => {
    const platform = await rawPlatform((socket) => WAYS[way]?.(socket));
    expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      endpoint: name,
      status: null,
      outcome: 'unknown',
      retryable: false,
      attempts: 1,
    });
    expect(platform.seen()).toBe(1);
  });

  test.each(REPEATABLE)('%s is retried', async (name) => {
    const platform = await rawPlatform((socket, count) =>
      count < 3 ? WAYS[way]?.(socket) : socket.end(GOOD),
    );
    await CALLS[name](clientOf(platform));
    expect(platform.seen()).toBe(3);
  });

  test('the error is CONNECTION_LOST', async () => {
    const platform = await rawPlatform((socket) => WAYS[way]?.(socket));
    expect(await failureOf(CALLS.close(clientOf(platform, { retry: false })))).toMatchObject({
      code: 'CONNECTION_LOST',
      outcome: 'unknown',
      retryable: true,
      attempts: 1,
    });
  });
});
