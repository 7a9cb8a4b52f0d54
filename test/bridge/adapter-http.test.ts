import { expect, it } from 'vitest';
import { createAdapterHttp } from '../../src/public/adapter.js';
import { serve } from '../helpers/serve.js';

it('createAdapterHttp sends a form, as token endpoints expect', async () => {
  const { url } = await serve((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => response.end(JSON.stringify([request.headers['content-type'], text])));
  });
  const http = createAdapterHttp({ helpdesk: 'Our Desk', baseUrl: url, headers: {} });
  const form = { grant_type: 'refresh_token', refresh_token: 'a&b=c' };
  const { body } = await http(
    { method: 'POST', path: '/token', form },
    { signal: AbortSignal.timeout(5_000) },
  );
  expect(body).toEqual([
    'application/x-www-form-urlencoded',
    'grant_type=refresh_token&refresh_token=a%26b%3Dc',
  ]);
});

it.each([
  [401, 'auth'],
  [404, 'gone'],
  [422, 'invalid'],
  [429, 'rate-limited'],
  [503, 'transient'],
])('createAdapterHttp rejects an answer of %i as %s, with the status', async (status, kind) => {
  const { url } = await serve((_request, response) => response.writeHead(status).end());
  const http = createAdapterHttp({ helpdesk: 'Our Desk', baseUrl: url, headers: {} });
  const answer = http({ method: 'GET', path: '/me' }, { signal: AbortSignal.timeout(5_000) });
  await expect(answer).rejects.toMatchObject({ kind, status });
});
