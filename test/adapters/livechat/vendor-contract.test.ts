import { createRequire } from 'node:module';
import { Agent, Customer } from '@livechat/lc-sdk-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALL, SESSION } from '../../fixtures/adapter-session.js';
import { FAKE_CLIENT_ID, ORGANIZATION } from '../../fixtures/livechat/fake-livechat.js';
import { setUp } from './support.js';

interface Axios {
  readonly interceptors: {
    readonly request: {
      use(change: (config: { url: string }) => { url: string }): number;
      eject(id: number): void;
    };
  };
}

/** The SDK knows HTTPS only; the fake has no certificate. */
function withoutTls(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('@livechat/lc-sdk-js'));
  const { interceptors } = require('axios') as Axios;
  const id = interceptors.request.use((config) => ({
    ...config,
    url: config.url.replace('https:', 'http:'),
  }));
  onTestFinished(() => interceptors.request.eject(id));
}

describe("LiveChat's own SDK", () => {
  it('sends the same requests as the adapter, and understands the answers of the fake', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    await adapter.find(SESSION, CALL);
    await adapter.catchUp?.(ref, SESSION.requestedAt, CALL);
    await adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, CALL);
    await adapter.undelivered?.(
      ref,
      { messageId: null, text: 'Wait!' },
      { kind: 'ended', text: 'Ended.' },
      CALL,
    );
    await open({ ...SESSION, key: 'session-2', previous: [ref] });
    const isAction = ({ path }: { path: string }) => path.includes('/action/');
    const toCompared = (from: number) =>
      fake.requests
        .slice(from)
        .filter(isAction)
        .map(({ method, path, json, query, headers }) => ({
          // The SDK is of the version before: 3.4.
          route: `${method} ${path.replace(/^\/v3\.\d/, '')}`,
          json,
          organization: query.get('organization_id'),
          authorization: headers.authorization,
          region: headers['x-region'],
        }));
    const ours = toCompared(0);
    expect(ours.map(({ route }) => route)).toEqual([
      'POST /customer/action/update_customer',
      'POST /customer/action/start_chat',
      'POST /agent/action/list_chats',
      'POST /agent/action/get_chat',
      'POST /agent/action/get_chat',
      'POST /customer/action/send_event',
      'POST /customer/action/deactivate_chat',
      'POST /agent/action/send_event',
      'POST /customer/action/update_customer',
      'POST /customer/action/resume_chat',
    ]);

    withoutTls();
    const apiUrl = fake.url.replace('http://', '');
    const tokenOf = (index: number) => ours[index]?.authorization?.replace('Bearer ', '') ?? '';
    const token = (accessToken: string) => () => ({
      accessToken,
      organizationID: ORGANIZATION,
      region: 'fra',
    });
    const customer = new Customer.Web(FAKE_CLIENT_ID, token(tokenOf(0)), { apiUrl });
    const agent = new Agent.Web(FAKE_CLIENT_ID, token(tokenOf(2)), { apiUrl });
    const before = fake.requests.length;
    const chat = fake.chatOf(ref.externalId);
    const [first, update] = [ours[1]?.json ?? {}, ours[0]?.json ?? {}];
    await customer.updateCustomer(update);
    const started = await customer.startChat(first);
    const listed = await agent.listChats({ limit: 100 });
    const [chatId = '', threadId = ''] = ref.externalId.split('/');
    await agent.getChat(chatId);
    const read = await agent.getChat(chatId, threadId);
    const event = { type: 'message', text: 'Hello?' } as Parameters<typeof customer.sendEvent>[1];
    const sent = await customer.sendEvent(chatId, event);
    await customer.deactivateChat(chatId);
    const note = ours[7]?.json.event as Parameters<typeof agent.sendEvent>[1];
    const noted = await agent.sendEvent(chatId, note, true);
    await customer.updateCustomer(ours[8]?.json ?? {});
    const resumed = await customer.resumeChat(
      ours[9]?.json as unknown as Parameters<typeof customer.resumeChat>[0],
    );
    expect(toCompared(before)).toEqual(ours);
    expect(read.thread).toMatchObject({ id: threadId, active: false });
    expect(resumed.thread_id).toBe(chat.threadId);
    expect(fake.chats.has(started.chat_id)).toBe(true);
    expect(listed.chats_summary.map(({ id }) => id)).toEqual([started.chat_id, chatId]);
    expect(
      chat.earlier
        .at(-1)
        ?.events.slice(-2)
        .map(({ id }) => id),
    ).toEqual([sent.event_id, noted.event_id]);
  });
});
