import { IntercomClient } from 'intercom-client';
import { describe, expect, it } from 'vitest';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import { FAKE_TEAM, FAKE_TOKEN } from '../../fixtures/intercom/fake-intercom.js';
import { setUp } from './support.js';

describe("Intercom's own client", () => {
  it('tags and assigns with the same requests', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open(routedTo(FAKE_TEAM));
    const ours = fake.requests.slice(-5).map(({ method, path, json }) => ({ method, path, json }));
    const before = fake.requests.length;
    const client = new IntercomClient({ token: FAKE_TOKEN, baseUrl: fake.url, maxRetries: 0 });
    for (const name of ['premium', 'late parcel']) {
      const { id } = await client.tags.create({ name });
      await client.tags.tagConversation({ conversation_id: externalId, id, admin_id: '814860' });
    }
    await client.conversations.manage({
      conversation_id: externalId,
      body: { message_type: 'assignment', type: 'team', admin_id: '814860', assignee_id: FAKE_TEAM },
    });
    const theirs = fake.requests.slice(before).map(({ method, path, json }) => ({ method, path, json }));
    expect(theirs).toEqual(ours);
  });

  it('sends the same requests as the adapter, and understands the answers of the fake', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const [contact] = fake.contacts.values();
    await adapter.find(SESSION, CALL);
    await adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, CALL);
    const ours = fake.requests.map(({ method, path, json, headers }) => ({
      method,
      path,
      json,
      version: headers['intercom-version'],
      accepts: headers.authorization,
    }));
    const [, , created, conversation, , searched, replied, closed] = ours;

    // The same calls, in the words of the vendor's client, whose types check them.
    const client = new IntercomClient({ token: FAKE_TOKEN, baseUrl: fake.url, maxRetries: 0 });
    const before = fake.requests.length;
    const contactId = contact?.id ?? '';
    await client.admins.identify();
    await client.contacts.showContactByExternalId({ external_id: 'user:ada' });
    await client.contacts.create({ role: 'user', external_id: 'user:ada', name: 'ada' }).catch(() => {});
    const message = await client.conversations.create({
      from: { type: 'user', id: contactId },
      body: String(conversation?.json.body),
    });
    await client.contacts.showContactByExternalId({ external_id: 'user:ada' });
    const page = await client.conversations.search({
      query: {
        operator: 'AND',
        value: [
          { field: 'contact_ids', operator: '=', value: contactId },
          {
            field: 'created_at',
            operator: '>',
            value: Math.floor((SESSION.requestedAt.getTime() - 300_000) / 1000),
          },
        ],
      },
    });
    await client.conversations.reply({
      conversation_id: ref.externalId,
      body: { message_type: 'comment', type: 'user', intercom_user_id: contactId, body: 'Hello?' },
    });
    const ended = await client.conversations.manage({
      conversation_id: ref.externalId,
      body: {
        message_type: 'close',
        type: 'admin',
        admin_id: '814860',
        body: '[handoff] The user has left.',
      },
    });
    const theirs = fake.requests.slice(before).map(({ method, path, json, headers }) => ({
      method,
      path,
      json,
      version: headers['intercom-version'],
      accepts: headers.authorization,
    }));

    expect(theirs).toEqual(ours);
    expect([created, conversation, searched, replied, closed].map((each) => each?.path)).toEqual([
      '/contacts',
      '/conversations',
      '/conversations/search',
      `/conversations/${ref.externalId}/reply`,
      `/conversations/${ref.externalId}/parts`,
    ]);
    expect(message.conversation_id).toBe([...fake.conversations.keys()].at(-1));
    expect(page.data.map(({ id }) => id)).toContain(ref.externalId);
    expect(ended).toMatchObject({ id: ref.externalId, state: 'closed' });
  });
});
