import { expect, it } from 'vitest';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader } from '../helpers/credentials.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { post } from '../standalone/program.js';
import { runExample } from './example.js';

const tokenOf = (name: string): string => `token-of-${name}-0123456789`;

const settingsOf = (name: string): Record<string, string> => ({
  [`${name.toUpperCase()}_USERNAME`]: `${name}-hook`,
  [`${name.toUpperCase()}_SECRET`]: `${name}-secret`,
  [`${name.toUpperCase()}_TOKEN`]: tokenOf(name),
  [`${name.toUpperCase()}_API_KEY`]: `${name}-key`,
});

it('several bots share an app and nothing else', async () => {
  const platform = await fakePlatform();
  const app = await runExample('several-bots', {
    PLATFORM_BASE_URL: platform.options.baseUrl,
    ...settingsOf('sales'),
    ...settingsOf('support'),
  });
  for (const [name, other] of [
    ['sales', 'support'],
    ['support', 'sales'],
  ] as const) {
    const base = `${app.url}/bots/${name}`;
    const own = { authorization: basicHeader(`${name}-hook`, `${name}-secret`) };
    const strange = { authorization: basicHeader(`${other}-hook`, `${other}-secret`) };
    expect((await post(base, botMessageBody(), own)).status).toBe(200);
    expect((await post(base, botMessageBody(), strange)).status).toBe(401);

    const conversation_id = `conversation-of-${name}`;
    const already = platform.calls.length;
    const establish = establishBody({ conversation_id });
    expect((await post(`${base}/${tokenOf(other)}/conversation/establish`, establish)).status).toBe(401);
    expect((await post(`${base}/${tokenOf(name)}/conversation/establish`, establish)).status).toBe(200);
    await platform.came(already + 1);
    const chat = chatBody({ conversation_id, body: 'Hi' });
    expect((await post(`${base}/${tokenOf(name)}/chat`, chat)).status).toBe(200);
    const authorization = `Bearer ${name}-key`;
    expect(platform.calls.slice(already)).toMatchObject([
      { authorization, body: { conversation_id, body: `You are talking to ${name}.` } },
      { authorization, body: { conversation_id, body: `${name} received: Hi` } },
    ]);
    const close = closeBody({ conversation_id });
    expect((await post(`${base}/${tokenOf(name)}/conversation/close`, close)).status).toBe(200);
    await app.until(new RegExp(`${name}: ${conversation_id} has ended`));
  }

  app.signal('SIGTERM');
  expect(await app.ended).toBe(0);
});
