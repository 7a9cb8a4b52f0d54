import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import { describe, expect, it } from 'vitest';
import { chatSdk } from '../../../src/adapters/chat-sdk/index.js';
import { deferred } from '../../helpers/deferred.js';
import { PLATFORMS, type PlatformName } from './harness.js';
import { eventually, listen, openConversation, startForTest } from './support.js';

const NAMES = Object.keys(PLATFORMS) as PlatformName[];

describe.each(NAMES)('a webhook of %s', (name) => {
  it('is answered when its event is safe, not before', async () => {
    const platform = await startForTest(name);
    const { fake } = platform;
    const adapter = chatSdk(platform.settings(platform.createChat()));
    platform.mount(adapter);
    const stored = deferred();
    const started = deferred();
    const events = listen(adapter, () => {
      started.resolve();
      return stored.promise;
    });
    const externalId = await openConversation(adapter);
    await fake.idle();
    const before = fake.statuses.length;

    fake.say(externalId, 'Hello');
    await started.promise;
    expect(fake.statuses).toHaveLength(before);
    stored.resolve();
    await fake.idle();
    expect(fake.statuses.slice(before)).toEqual([200]);
    expect(events).toMatchObject([
      { kind: 'message', text: 'Hello', author: { kind: 'agent', name: 'Ann Lee' } },
    ]);
  });

  it('waits while its event cannot be stored, and keeps the order', async () => {
    const platform = await startForTest(name);
    const { fake } = platform;
    const adapter = chatSdk(platform.settings(platform.createChat()));
    platform.mount(adapter);
    let failures = 2;
    const events = listen(adapter, () => {
      failures -= 1;
      if (failures >= 0) throw new Error('the database is down');
    });
    const externalId = await openConversation(adapter);
    fake.say(externalId, 'first');
    fake.say(externalId, 'second');
    await fake.idle();
    expect(events).toMatchObject([{ text: 'first' }, { text: 'second' }]);
  });

  it('is answered 503 when the process ends before its event is safe', async () => {
    const platform = await startForTest(name);
    const { fake } = platform;
    const adapter = chatSdk(platform.settings(platform.createChat()));
    platform.mount(adapter);
    const externalId = await openConversation(adapter);
    await fake.idle();
    const before = fake.statuses.length;
    await adapter.dispose?.();
    fake.say(externalId, 'Hello');
    await eventually(() => expect(fake.statuses[before]).toBe(503));
  });
});

// Discord's events are forwarded by the SDK's gateway listener, which does not repeat them.
describe.each(NAMES.filter((name) => name !== 'discord'))('a webhook of %s that was answered 503', (name) => {
  it('is handled when the platform repeats it, also by another process with the same state', async () => {
    const platform = await startForTest(name);
    const { fake } = platform;
    const state = createMemoryState();
    const createAdapter = () => {
      const chat = new Chat({
        userName: 'handoff',
        adapters: { [name]: fake.createAdapter(fake.apiUrl, 'right') },
        state,
        concurrency: 'concurrent',
        logger: 'silent',
      });
      return chatSdk(platform.settings(chat));
    };
    const dying = createAdapter();
    const next = createAdapter();
    const events = listen(next);
    const externalId = await openConversation(dying);
    await dying.dispose?.();
    await fake.idle();
    const before = fake.statuses.length;
    let isFirst = true;
    platform.mount({
      webhook(request, response) {
        const target = isFirst ? dying : next;
        isFirst = false;
        target.webhook(request, response);
      },
    });

    fake.say(externalId, 'Hello');
    await eventually(() => expect(events).toMatchObject([{ text: 'Hello' }]));
    await fake.idle();
    expect(fake.statuses.slice(before)).toEqual([503, 200]);
  });
});

describe('the webhook endpoint', () => {
  it('lets the SDK refuse a forged request, in Express and with Fetch', async () => {
    const platform = await startForTest('slack');
    const adapter = chatSdk({ chat: platform.createChat(), channel: platform.fake.channel });
    platform.mount(adapter);
    const events = listen(adapter);
    const body = JSON.stringify({ type: 'event_callback', event: { type: 'message', text: 'forged' } });
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(Math.floor(Date.now() / 1_000)),
      'x-slack-signature': `v0=${'0'.repeat(64)}`,
    };
    const answer = await adapter.fetch(
      new Request('https://bot.example/slack', { method: 'POST', headers, body }),
    );
    expect(answer.status).toBe(401);
    expect(events).toEqual([]);
  });

  it('answers what the SDK answers, such as a challenge', async () => {
    const platform = await startForTest('slack');
    const chat = new Chat({
      userName: 'handoff',
      adapters: { slack: platform.fake.createAdapter(platform.fake.apiUrl, 'right') },
      state: createMemoryState(),
      concurrency: 'concurrent',
      logger: 'silent',
    });
    const adapter = chatSdk({ chat, channel: platform.fake.channel });
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
    const { signRequest } = await import('../../fixtures/slack/deliver.js');
    const secret = platform.fake.secrets[1] ?? '';
    const { headers } = signRequest(body, 'application/json', { secret });
    const answer = await adapter.fetch(
      new Request('https://bot.example/slack', { method: 'POST', headers, body }),
    );
    expect([answer.status, await answer.json()]).toEqual([200, { challenge: 'abc' }]);
  });
});
