import sunshine from 'sunshine-conversations-client';
import { describe, expect, it } from 'vitest';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import {
  AGENTS,
  FAKE_APP,
  FAKE_KEY_ID,
  FAKE_KEY_SECRET,
  type FakeMessage,
} from '../../fixtures/zendesk/fake-zendesk.js';
import { serve } from '../../helpers/serve.js';
import { setUp } from './support.js';

/** What is left of a value that went through a model of the vendor, which drops the fields it does not know. */
const through = (model: { constructFromObject(data: object): object }, value: object): unknown =>
  JSON.parse(JSON.stringify(model.constructFromObject(value)));

describe("Zendesk's own client", () => {
  it('sends the same requests as the adapter, and understands the answers of the fake', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    await adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    await adapter.catchUp?.(ref, SESSION.requestedAt, CALL);
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, CALL);
    const ours = fake.requests.map(({ method, path, json, headers, query }) => ({
      route: `${method} ${path}`,
      json,
      query: Object.fromEntries(query),
      authorization: headers.authorization,
    }));
    const conversationPath = `/sc/v2/apps/${FAKE_APP}/conversations/${ref.externalId}`;
    expect(ours.map(({ route }) => route)).toEqual([
      `POST /sc/v2/apps/${FAKE_APP}/users`,
      `GET /sc/v2/apps/${FAKE_APP}/conversations`,
      `POST /sc/v2/apps/${FAKE_APP}/conversations`,
      `POST ${conversationPath}/passControl`,
      `GET ${conversationPath}/messages`,
      `POST ${conversationPath}/messages`,
      `POST ${conversationPath}/messages`,
      `GET ${conversationPath}`,
      `GET ${conversationPath}/messages`,
      `GET ${conversationPath}`,
      `GET ${conversationPath}/messages`,
      `POST ${conversationPath}/messages`,
      `POST ${conversationPath}/releaseControl`,
    ]);

    const { instance } = sunshine.ApiClient;
    instance.basePath = fake.url;
    instance.authentications.basicAuth.username = FAKE_KEY_ID;
    instance.authentications.basicAuth.password = FAKE_KEY_SECRET;
    const before = fake.requests.length;
    const bodyOf = (index: number): object => ours[index]?.json ?? {};
    await new sunshine.UsersApi().createUser(FAKE_APP, bodyOf(0)).catch(() => {});
    const conversations = new sunshine.ConversationsApi();
    const filter = { userExternalId: 'user:ada' };
    const listed = await conversations.listConversations(FAKE_APP, filter, { page: { size: 100 } });
    const { conversation } = await conversations.createConversation(FAKE_APP, bodyOf(2));
    const [messages, control] = [new sunshine.MessagesApi(), new sunshine.SwitchboardActionsApi()];
    await control.passControl(FAKE_APP, ref.externalId, bodyOf(3));
    await messages.listMessages(FAKE_APP, ref.externalId, {});
    const posted = await messages.postMessage(FAKE_APP, ref.externalId, bodyOf(5));
    await messages.postMessage(FAKE_APP, ref.externalId, bodyOf(6));
    await conversations.getConversation(FAKE_APP, ref.externalId);
    const { messages: texts } = await messages.listMessages(FAKE_APP, ref.externalId, {});
    await conversations.getConversation(FAKE_APP, ref.externalId);
    await messages.listMessages(FAKE_APP, ref.externalId, {});
    await messages.postMessage(FAKE_APP, ref.externalId, bodyOf(11));
    await control.releaseControl(FAKE_APP, ref.externalId);
    const theirs = fake.requests.slice(before).map(({ method, path, json, headers, query }) => ({
      route: `${method} ${path}`,
      json,
      query: Object.fromEntries(query),
      authorization: headers.authorization,
    }));
    expect(theirs).toEqual(ours);
    expect(texts.length).toBeGreaterThan(2);
    expect(listed.conversations.map(({ id }) => id)).toEqual([ref.externalId]);
    expect(fake.conversations.get(conversation.id)?.metadata).toEqual({ handoffSession: SESSION.key });
    expect(posted.messages[0]?.id).toBe(fake.conversations.get(ref.externalId)?.messages.at(-3)?.id);
  });

  it('knows every field of the requests, the answers and the webhooks', async () => {
    const { fake, adapter, open } = await setUp();
    const bodies: object[] = [];
    const { url } = await serve((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        bodies.push(JSON.parse(text) as object);
        response.end();
      });
    });
    fake.webhooks.url = url;
    const ref = await open(routedTo('360001'));
    await adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    fake.agent.reply(ref.externalId, 'Good morning');
    fake.agent.sendFile(ref.externalId, {
      mediaUrl: 'https://a.test/a.pdf',
      altText: 'a.pdf',
      mediaType: 'application/pdf',
    });
    await fake.webhooks.settled();

    const [user, , conversation, control, , message] = fake.requests.map(({ json }) => json);
    expect(through(sunshine.UserCreateBody, user ?? {})).toEqual(user);
    expect(through(sunshine.ConversationCreateBody, conversation ?? {})).toEqual(conversation);
    expect(through(sunshine.PassControlBody, control ?? {})).toEqual(control);
    expect(through(sunshine.MessagePost, message ?? {})).toEqual(message);

    const events = bodies.flatMap((body) => (body as { events: { type: string; payload: object }[] }).events);
    expect(events.map(({ type }) => type)).toEqual([
      'switchboard:passControl',
      ...Array.from({ length: 4 }, () => 'conversation:message'),
    ]);
    expect(through(sunshine.SwitchboardPassControl, events[0] ?? {})).toEqual(events[0]);
    for (const event of events.slice(1)) {
      const { author } = (event.payload as { message: FakeMessage }).message;
      // The webhook's model of an author leaves out what the model of an author has.
      expect(through(sunshine.Author, author)).toEqual(author);
      const { displayName: _, userExternalId: _id, ...known } = author;
      const expected = structuredClone(event) as { payload: { message: { author: object } } };
      expected.payload.message.author = known;
      expect(through(sunshine.ConversationMessageEvent, event)).toEqual(expected);
    }
    expect(events[0]?.payload).toMatchObject({
      conversation: { activeSwitchboardIntegration: { name: AGENTS } },
    });
  });
});
