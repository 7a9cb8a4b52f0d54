import { expect, it } from 'vitest';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { post } from '../standalone/program.js';
import { runExample, WRONG } from './example.js';

it('the receiver runs in an Express app with other routes', async () => {
  const platform = await fakePlatform();
  const app = await runExample('express-app', { PLATFORM_BASE_URL: platform.options.baseUrl });
  const message = botMessageBody({ conversation_id: 'conversation-of-the-example' });
  const conversation_id = 'handoff-of-the-example';
  const handoff = `${app.url}/webhook/${PATH_TOKEN}`;

  expect(await (await fetch(app.url)).text()).toBe('The existing app.');
  expect(await (await post(`${app.url}/echo`, { any: 'json' })).json()).toEqual({ any: 'json' });

  expect((await post(`${app.url}/webhook`, message, WRONG)).status).toBe(401);
  const authorization = basicHeader(USERNAME, SECRET);
  expect((await post(`${app.url}/webhook`, message, { authorization })).status).toBe(200);
  await app.until(/answered in conversation-of-the-example with 26 characters/);

  const request = establishBody({ conversation_id, user_info: { user_id: 'Jane' } });
  expect((await post(`${app.url}/webhook/conversation/establish`, request)).status).toBe(401);
  expect((await post(`${handoff}/conversation/establish`, request)).status).toBe(200);
  expect(await (await fetch(`${app.url}/open`)).json()).toEqual([conversation_id]);
  expect((await post(`${handoff}/chat`, chatBody({ conversation_id, body: 'Hi' }))).status).toBe(200);
  expect(platform.calls).toMatchObject([
    { body: { conversation_id, body: 'Hello Jane, a colleague will be with you in a moment.' } },
    { body: { conversation_id, body: 'You said: Hi' }, authorization: `Bearer ${API_KEY}` },
  ]);
  expect((await post(`${handoff}/conversation/close`, closeBody({ conversation_id }))).status).toBe(200);
  expect(await (await fetch(`${app.url}/open`)).json()).toEqual([]);

  app.signal('SIGTERM');
  expect(await app.ended).toBe(0);
});
