import { expect, it } from 'vitest';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { BEARER_TOKEN, basicHeader, SECRET, USERNAME } from '../helpers/credentials.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { post } from '../standalone/program.js';
import { runExample } from './example.js';

it('the receiver runs on node:http alone', async () => {
  const platform = await fakePlatform();
  const app = await runExample('plain-http', {
    PLATFORM_BASE_URL: platform.options.baseUrl,
    HANDOFF_TOKEN: BEARER_TOKEN,
  });
  const conversation_id = 'handoff-of-the-example';
  const basic = { authorization: basicHeader(USERNAME, SECRET) };
  const bearer = { authorization: `Bearer ${BEARER_TOKEN}` };

  expect((await fetch(`${app.url}/elsewhere`)).status).toBe(404);
  expect((await post(`${app.url}/webhook`, botMessageBody(), bearer)).status).toBe(401);
  expect((await post(`${app.url}/webhook`, botMessageBody(), basic)).status).toBe(200);

  const establish = establishBody({ conversation_id });
  expect((await post(`${app.url}/webhook/conversation/establish`, establish, basic)).status).toBe(401);
  expect((await post(`${app.url}/webhook/conversation/establish`, establish, bearer)).status).toBe(200);
  const chat = chatBody({ conversation_id, body: 'bye' });
  expect((await post(`${app.url}/webhook/chat`, chat, bearer)).status).toBe(200);
  expect(platform.calls).toMatchObject([
    { path: '/v1/human/message/receive', body: { conversation_id, body: 'Hello, what can I do for you?' } },
    { path: '/v1/human/message/receive', body: { conversation_id, body: 'You said: bye' } },
    { path: '/v1/human/close', body: { conversation_id } },
  ]);

  app.signal('SIGTERM');
  expect(await app.ended).toBe(0);
});
