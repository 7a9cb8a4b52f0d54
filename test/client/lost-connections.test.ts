import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CALLS, clientOf, failureOf, ONCE_ONLY, REPEATABLE, rawService } from './support.js';

const GOOD = 'HTTP/1.1 200 OK\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{"results":[]}';

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

describe.each(Object.keys(WAYS))('a connection that is lost: %s', (way) => {
  test.each(ONCE_ONLY)('%s is sent exactly once, and its outcome is unknown', async (name) => {
    const service = await rawService((socket) => WAYS[way]?.(socket));
    expect(await failureOf(CALLS[name](clientOf(service)))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      endpoint: name,
      status: null,
      outcome: 'unknown',
      retryable: false,
      attempts: 1,
    });
    expect(service.seen()).toBe(1);
  });

  test.each(REPEATABLE)('%s is sent again', async (name) => {
    const service = await rawService((socket, count) => (count < 3 ? WAYS[way]?.(socket) : socket.end(GOOD)));
    await CALLS[name](clientOf(service));
    expect(service.seen()).toBe(3);
  });

  test('in the end the connection is what was lost', async () => {
    const service = await rawService((socket) => WAYS[way]?.(socket));
    expect(await failureOf(CALLS.close(clientOf(service, { retry: false })))).toMatchObject({
      code: 'CONNECTION_LOST',
      outcome: 'unknown',
      retryable: true,
      attempts: 1,
    });
  });
});
