import { expect, it, vi } from 'vitest';
import { createClient } from '../../src/desk/page/src/client.js';

const answer = (body: string, status = 200): void =>
  void vi.stubGlobal('fetch', async () => new Response(status === 204 ? null : body, { status }));

it("the page's client takes a broken body for no answer, never for a success", async () => {
  const client = createClient(() => undefined);
  try {
    answer('{"entries":[');
    await expect(client.dashboard()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    answer('<h1>Bad gateway</h1>', 502);
    await expect(client.dashboard()).rejects.toMatchObject({ code: 'FAILED' });
    answer('{"code":"CLOSED","message":"It has ended."}', 409);
    await expect(client.dashboard()).rejects.toMatchObject({ code: 'CLOSED' });
    answer('', 204);
    expect(await client.logout()).toBeUndefined();
    answer('{"waiting":1}');
    expect(await client.dashboard()).toEqual({ waiting: 1 });
  } finally {
    vi.unstubAllGlobals();
  }
});
