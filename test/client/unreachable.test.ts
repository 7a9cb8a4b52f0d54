import { describe, expect, test } from 'vitest';
import {
  CALLS,
  clientOf,
  failureOf,
  freePort,
  instantClock,
  ONCE_ONLY,
  REPEATABLE,
  REPLY,
  serviceAnswering,
  serviceOnPort,
} from './support.js';

const failingWith = (cause: object) => async (): Promise<Response> => {
  throw new TypeError('fetch failed', { cause });
};

describe('nobody listens', () => {
  test.each([...ONCE_ONLY, ...REPEATABLE])('%s is sent once the service is up', async (name) => {
    const port = await freePort();
    let service = { requests: [] as readonly unknown[] };
    const { clock, slept } = instantClock(async (_, count) => {
      if (count === 2) service = await serviceOnPort(port, { body: { results: [] } });
    });
    await CALLS[name](clientOf({ baseUrl: `http://127.0.0.1:${port}` }, { clock }));
    expect(slept).toEqual([250, 500]);
    expect(service.requests).toHaveLength(1);
  });

  test('in the end the error says where to look', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const error = await failureOf(clientOf({ baseUrl }).reply(REPLY));
    expect(error).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      endpoint: 'reply',
      status: null,
      serviceCode: null,
      outcome: 'not-applied',
      retryable: true,
      attempts: 4,
    });
    expect(error.message).toContain(baseUrl);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).toContain('Check baseUrl');
  });
});

describe('other ways of not getting through', () => {
  test.each([
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    [{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }],
    [{ code: 'ENOTFOUND' }],
    [{ code: 'EAI_AGAIN' }],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }],
    [{ code: 'ETIMEDOUT', syscall: 'connect' }],
    [{ code: 'EHOSTUNREACH', syscall: 'connect' }],
  ])('%j: nothing was sent, so a reply is tried again', async (cause) => {
    const error = await failureOf(
      clientOf({ baseUrl: 'https://api.example.com' }, { fetch: failingWith(cause) }).reply(REPLY),
    );
    expect(error).toMatchObject({ code: 'SERVICE_UNREACHABLE', outcome: 'not-applied', attempts: 4 });
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
  ])('%j: something may have been sent, so a reply is not', async (cause) => {
    const error = await failureOf(
      clientOf({ baseUrl: 'https://api.example.com' }, { fetch: failingWith(cause) }).reply(REPLY),
    );
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1 });
    expect(error.message).not.toContain('what is this?');
  });

  test.each([['DEPTH_ZERO_SELF_SIGNED_CERT'], ['CERT_HAS_EXPIRED'], ['ERR_TLS_CERT_ALTNAME_INVALID']])(
    'a certificate that is not accepted does not get better by trying: %s',
    async (code) => {
      const error = await failureOf(
        clientOf({ baseUrl: 'https://api.example.com' }, { fetch: failingWith({ code }) }).end({
          conversationId: 'c-1',
        }),
      );
      expect(error).toMatchObject({ code: 'SERVICE_UNREACHABLE', retryable: false, attempts: 1 });
      expect(error.message).toContain('certificate');
    },
  );

  test('https where the service speaks http is told as such', async () => {
    const { baseUrl } = await serviceAnswering();
    const error = await failureOf(clientOf({ baseUrl: baseUrl.replace('http:', 'https:') }).reply(REPLY));
    expect(error).toMatchObject({ code: 'SERVICE_UNREACHABLE', outcome: 'not-applied', attempts: 1 });
    expect(error.message).toContain('scheme');
  });
});
