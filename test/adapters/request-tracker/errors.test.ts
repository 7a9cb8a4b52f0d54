import { describe, expect, it } from 'vitest';
import { fakeRt } from './fake-rt.js';
import { call, message, session, toRef } from './support.js';

describe('errors of RT', () => {
  it.each([
    [{ status: 401 }, 'auth', null],
    [{ status: 403 }, 'auth', null],
    [{ status: 404 }, 'gone', null],
    [{ status: 400 }, 'invalid', null],
    [{ status: 429, headers: { 'retry-after': '7' } }, 'rate-limited', 7_000],
    [{ status: 500 }, 'transient', null],
    [{ status: 502, type: 'text/html', body: '<h1>Bad Gateway</h1>' }, 'transient', null],
    [{ status: 503, headers: { 'retry-after': '2' } }, 'transient', 2_000],
    // A web server without RT, a login page in front of RT, and a redirect to https.
    [{ status: 404, type: 'text/html', body: '<h1>Not Found</h1>' }, 'invalid', null],
    [{ status: 200, type: 'text/html', body: '<form>' }, 'invalid', null],
    [{ status: 301, headers: { location: 'https://elsewhere.test/' } }, 'invalid', null],
  ])('%j are of kind %s', async (answer, kind, retryAfterMs) => {
    const { adapter } = await fakeRt(
      () => [],
      () => answer,
    );
    await expect(adapter.open(session(), call)).rejects.toMatchObject({ kind, retryAfterMs });
    await expect(adapter.poll?.(null, call)).rejects.toMatchObject({ kind });
  });

  it('are auth errors for a reply with status 400', async () => {
    const { adapter } = await fakeRt(
      () => [{ id: 7, type: 'Correspond' }],
      (path) =>
        path.endsWith('/correspond') ? { status: 400, body: '{"message":"Zugriff verweigert"}' } : null,
    );
    const sending = adapter.send(toRef(session(), '3'), message('hello'), call);
    await expect(sending).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('ReplyToTicket'),
    });
  });

  it('are invalid for a reply that is refused for another reason than a missing right', async () => {
    const { adapter } = await fakeRt(
      () => [{ id: 7, type: 'Correspond' }],
      (path) => (path.endsWith('/correspond') ? { status: 413, body: '{"message":"Too large"}' } : null),
    );
    const sending = adapter.send(toRef(session(), '3'), message('hello'), call);
    await expect(sending).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('are reported when a status does not change', async () => {
    const { adapter } = await fakeRt(() => [{ id: 7, type: 'Correspond' }]);
    const closing = adapter.close(toRef(session(), '3'), { by: 'user', text: 'The user has left.' }, call);
    await expect(closing).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('ModifyTicket'),
    });
  });

  it('contain neither the token nor message texts', async () => {
    const { adapter } = await fakeRt(
      () => [],
      () => ({ status: 500, body: 'my words' }),
    );
    const error = await adapter.open(session(), call).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/aaaa|my words|parcel/);
  });

  it.each(['', '0', '-1', '1; DROP', '../queue/1'])(
    'is asked for nothing with an id like "%s"',
    async (id) => {
      const { adapter, asked } = await fakeRt(() => []);
      await expect(adapter.send(toRef(session(), id), message('x'), call)).rejects.toMatchObject({
        kind: 'invalid',
      });
      expect(asked).toEqual([]);
    },
  );
});
