import { describe, expect, test, vi } from 'vitest';
import { clientOf, failureOf, platformAnswering, REPLY } from './support.js';

describe('a call that may be sent only while a claim is held', () => {
  test('is asked again right before its first byte, once it has a connection', async () => {
    const platform = await platformAnswering({ body: { code: 200 } });
    // As if the process was paused while it connected.
    const maySend = vi.fn(() => false).mockReturnValueOnce(true);
    expect(await failureOf(clientOf(platform).reply(REPLY, { maySend }))).toMatchObject({
      code: 'ABORTED',
      outcome: 'not-applied',
      attempts: 1,
    });
    expect(maySend).toHaveBeenCalledTimes(2);
    expect(platform.requests).toEqual([]);
  });

  test('sends the same request as any other call', async () => {
    const platform = await platformAnswering({ body: { code: 200 } });
    const client = clientOf(platform);
    await client.reply({ ...REPLY, text: 'naïve ✓' });
    await client.reply({ ...REPLY, text: 'naïve ✓' }, { maySend: () => true });
    const [plain, checked] = platform.requests;
    expect(checked?.headers).toEqual(plain?.headers);
    expect(JSON.parse(checked?.body ?? '')).toEqual(JSON.parse(plain?.body ?? ''));
  });

  test('gives an own fetch a text, and asks once', async () => {
    const bodies: unknown[] = [];
    const fetch = async (_url: string, { body }: RequestInit): Promise<Response> => {
      bodies.push(body);
      return Response.json({ code: 200 });
    };
    const platform = await platformAnswering();
    const maySend = vi.fn(() => true);
    await clientOf(platform, { fetch }).reply(REPLY, { maySend });
    expect(maySend).toHaveBeenCalledTimes(1);
    expect(bodies).toEqual([expect.any(String)]);
  });
});
