import { describe, expect, it } from 'vitest';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { startStandalone } from './in-process.js';
import { post } from './program.js';

async function withPlatform(env: Record<string, string>) {
  const platform = await fakePlatform();
  const started = await startStandalone({
    PLATFORM_BASE_URL: platform.options.baseUrl,
    PLATFORM_API_KEY: API_KEY,
    ...env,
  });
  return { platform, logged: started.logged, base: `${started.url}/webhook/${PATH_TOKEN}` };
}

describe('the program', () => {
  it('answers every message of a handoff with the text of AUTO_REPLY', async () => {
    const { platform, base } = await withPlatform({ AUTO_REPLY: 'You said: {text}. Really, {text}?' });
    const body = chatBody({ body: "$& and $' and {text}" });
    expect((await post(`${base}/chat`, body)).status).toBe(200);
    expect(platform.calls).toMatchObject([
      {
        path: '/v1/human/message/receive',
        authorization: `Bearer ${API_KEY}`,
        body: {
          conversation_id: body.conversation_id,
          body: "You said: $& and $' and {text}. Really, $& and $' and {text}?",
        },
      },
    ]);
  });

  it('sends no blank answer', async () => {
    const { platform, base } = await withPlatform({ AUTO_REPLY: '{text}' });
    expect((await post(`${base}/chat`, chatBody({ body: ' ' }))).status).toBe(200);
    expect(platform.calls).toEqual([]);
  });

  it('greets at the beginning of a handoff', async () => {
    const { platform, base } = await withPlatform({ GREETING: 'Hello, one moment.', AUTO_REPLY: '{text}' });
    const body = establishBody();
    expect((await post(`${base}/conversation/establish`, body)).status).toBe(200);
    await platform.came(1);
    expect(platform.calls).toMatchObject([
      { body: { conversation_id: body.conversation_id, body: 'Hello, one moment.' } },
    ]);
  });

  it('refuses requests for a human where nobody answers, greeting or not', async () => {
    const { platform, base, logged } = await withPlatform({
      ADAPTER: 'none',
      GREETING: 'Hello, one moment.',
    });
    const answer = await post(`${base}/conversation/establish`, establishBody());
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { code: 503, message: 'no agent is available' },
    ]);
    expect((await post(`${base}/chat`, chatBody())).status).toBe(200);
    expect(platform.calls).toEqual([]);
    expect(logged.about('handoff requests are answered 503')).toHaveLength(1);
  });
});
