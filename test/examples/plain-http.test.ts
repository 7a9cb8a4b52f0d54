import { expect, it } from 'vitest';
import { agentMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { BEARER_TOKEN, basicHeader, SECRET, USERNAME } from '../helpers/credentials.js';
import { fakeService } from '../helpers/fake-service.js';
import { post } from '../standalone/program.js';
import { runExample } from './example.js';

it('the receiver runs on node:http alone', async () => {
  const service = await fakeService();
  const app = await runExample('plain-http', {
    SERVICE_BASE_URL: service.options.baseUrl,
    HANDOFF_TOKEN: BEARER_TOKEN,
  });
  const conversation_id = 'handoff-of-the-example';
  const basic = { authorization: basicHeader(USERNAME, SECRET) };
  const bearer = { authorization: `Bearer ${BEARER_TOKEN}` };

  expect((await fetch(`${app.url}/elsewhere`)).status).toBe(404);
  expect((await post(`${app.url}/webhook`, agentMessageBody(), bearer)).status).toBe(401);
  expect((await post(`${app.url}/webhook`, agentMessageBody(), basic)).status).toBe(200);

  const establish = establishBody({ conversation_id });
  expect((await post(`${app.url}/webhook/conversation/establish`, establish, basic)).status).toBe(401);
  expect((await post(`${app.url}/webhook/conversation/establish`, establish, bearer)).status).toBe(200);
  const chat = chatBody({ conversation_id, body: 'bye' });
  expect((await post(`${app.url}/webhook/chat`, chat, bearer)).status).toBe(200);
  expect(service.calls).toMatchObject([
    { path: '/v1/human/message/receive', body: { conversation_id, body: 'Hello, what can I do for you?' } },
    { path: '/v1/human/message/receive', body: { conversation_id, body: 'You said: bye' } },
    { path: '/v1/human/close', body: { conversation_id } },
  ]);

  app.signal('SIGTERM');
  expect(await app.ended).toBe(0);
});
