import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import { describe, expect, it } from 'vitest';
import { chatSdk } from '../../../src/adapters/chat-sdk/index.js';
import { CALL, SESSION } from '../../fixtures/adapter-session.js';
import type { PlatformName } from './harness.js';
import { listen, openConversation, startForTest } from './support.js';

async function setUp(name: PlatformName) {
  const platform = await startForTest(name);
  const { fake } = platform;
  const adapter = chatSdk(platform.settings(platform.createChat()));
  platform.mount(adapter);
  const events = listen(adapter);
  return { fake, events, adapter, externalId: await openConversation(adapter) };
}

describe('Microsoft Teams', () => {
  it('a mention of the bot is removed', async () => {
    const { fake, events, externalId } = await setUp('teams');
    fake.say(externalId, '', { raw: { text: '<at>handoff</at> It is on its way.' } });
    await fake.idle();
    expect(events).toMatchObject([{ text: 'It is on its way.', internal: false }]);
  });

  it('a reply belongs to its thread, though Teams names another server than the settings', async () => {
    const { fake, events, externalId, adapter } = await setUp('teams');
    const second = await openConversation(adapter, 'session 2');
    fake.say(second, 'to the second');
    fake.say(externalId, 'to the first');
    await fake.idle();
    expect(events).toMatchObject([
      { externalId: second, text: 'to the second' },
      { externalId, text: 'to the first' },
    ]);
  });
});

describe('Discord', () => {
  it('a file is a line with its name, type and public address', async () => {
    const { fake, events, externalId } = await setUp('discord');
    const attachments = [
      {
        id: '1',
        filename: 'label.pdf',
        content_type: 'application/pdf',
        url: 'https://cdn.example/label.pdf',
        size: 9,
      },
    ];
    fake.say(externalId, 'Your **label**:', { raw: { attachments } });
    await fake.idle();
    expect(events).toMatchObject([
      { text: 'Your label:\n[label.pdf, application/pdf] https://cdn.example/label.pdf' },
    ]);
  });

  it('a mention of the bot is removed', async () => {
    const { fake, events, externalId } = await setUp('discord');
    fake.say(externalId, '<@1001> It is on its way.');
    await fake.idle();
    expect(events).toMatchObject([{ text: 'It is on its way.', internal: false }]);
  });

  it('messages of other bots come from the system', async () => {
    const { fake, events, externalId } = await setUp('discord');
    fake.say(externalId, 'Reminder', { raw: { author: { id: '5', username: 'other', bot: true } } });
    await fake.idle();
    expect(events).toMatchObject([{ text: 'Reminder', author: { kind: 'system' } }]);
  });

  it('an agent who copies the first message into the channel does not change what find returns', async () => {
    const { fake, adapter } = await setUp('discord');
    const opened = await adapter.open(SESSION, CALL);
    const [first = ''] = fake.shown(opened.externalId);
    fake.say(opened.externalId, first, { raw: { channel_id: fake.channel.split(':')[2] } });
    expect(await adapter.find(SESSION, CALL)).toEqual(opened);
  });

  it('a text that escapes would make too long is sent whole', async () => {
    const { fake, externalId, adapter } = await setUp('discord');
    const text = `@everyone ${'*'.repeat(adapter.capabilities.maxTextLength - 10)}`;
    const call = {
      signal: new AbortController().signal,
      log: (await import('../../../src/internal/index.js')).silentLog,
    };
    const ref = { conversationId: 'c', externalId, url: null, extra: {}, user: {} };
    await adapter.send(ref as Parameters<typeof adapter.send>[0], { key: 'k', text, sentAt: null }, call);
    expect(fake.shown(externalId).at(-1)).toBe(text.replace('@', '＠'));
    expect(JSON.stringify(fake.calls.at(-1)?.body)).not.toContain('@everyone');
  });
});

describe('Telegram', () => {
  it('a message belongs to the conversation whose message it replies to, or whose reference it begins with', async () => {
    const { fake, events, externalId, adapter } = await setUp('telegram');
    const second = await openConversation(adapter, 'session 2');
    const reference = second.split('#')[1];
    fake.say(externalId, 'a reply');
    fake.say(externalId, `#${reference} by reference`, { raw: { reply_to_message: undefined } });
    fake.say(externalId, `#${reference} beats the reply`);
    fake.say(externalId, 'chatter of the agents', { raw: { reply_to_message: undefined } });
    await fake.idle();
    expect(events).toMatchObject([
      { externalId, text: 'a reply' },
      { externalId: second, text: 'by reference' },
      { externalId: second, text: 'beats the reply' },
    ]);
  });

  it('a reply in a reply chain, which Telegram numbers like a topic, is found', async () => {
    const { fake, events, externalId } = await setUp('telegram');
    fake.say(externalId, 'Hello', { raw: { message_thread_id: 1 } });
    await fake.idle();
    expect(events).toMatchObject([{ externalId, text: 'Hello' }]);
  });

  it('an edited message has no effect', async () => {
    const { fake, events, externalId } = await setUp('telegram');
    fake.say(externalId, 'Hello', { raw: { edit_date: 1_800_000_000 } });
    await fake.idle();
    expect(events).toEqual([]);
  });

  it('a file is a line with its name and type', async () => {
    const { fake, events, externalId } = await setUp('telegram');
    const document = {
      file_id: 'f',
      file_unique_id: 'u',
      file_name: 'label.pdf',
      mime_type: 'application/pdf',
    };
    fake.say(externalId, '', { raw: { text: undefined, caption: 'Here', document } });
    await fake.idle();
    expect(events).toMatchObject([{ text: 'Here\n[label.pdf, application/pdf]' }]);
  });
});

describe('Slack', () => {
  it('a mention of the bot is removed, one of a colleague makes a note', async () => {
    const { fake, events, externalId } = await setUp('slack');
    fake.say(externalId, '', { raw: { raw: { text: '<@U0FAKEBOTU> It is on its way.' } } });
    fake.say(externalId, '', { raw: { raw: { text: '<@U0COLLEAGUE> you?' } } });
    await fake.idle();
    expect(events).toMatchObject([
      { text: 'It is on its way.', internal: false },
      { text: '@Ann you?', internal: true },
    ]);
  });

  it('a private file is named without its address', async () => {
    const { fake, events, externalId } = await setUp('slack');
    const files = [
      {
        id: 'F1',
        name: 'label.pdf',
        mimetype: 'application/pdf',
        url_private: 'https://files.slack.com/label.pdf',
      },
    ];
    fake.say(externalId, 'Here', { raw: { files, subtype: 'file_share' } });
    await fake.idle();
    expect(events).toMatchObject([{ text: 'Here\n[label.pdf, application/pdf]' }]);
  });
});

describe('a Chat with two platforms', () => {
  it('has an adapter for each, and no event crosses over', async () => {
    const [teams, discord] = [await startForTest('teams'), await startForTest('discord')];
    const chat = new Chat({
      userName: 'handoff',
      adapters: {
        teams: teams.fake.createAdapter(teams.fake.apiUrl, 'right'),
        discord: discord.fake.createAdapter(discord.fake.apiUrl, 'right'),
      },
      state: createMemoryState(),
      concurrency: 'concurrent',
      logger: 'silent',
    });
    const [forTeams, forDiscord] = [teams, discord].map((platform) => {
      const { fake } = platform;
      const adapter = chatSdk(platform.settings(chat));
      platform.mount(adapter);
      return { fake, adapter, events: listen(adapter) };
    });
    if (!forTeams || !forDiscord) throw new Error('two platforms were mounted');
    forTeams.fake.say(await openConversation(forTeams.adapter), 'from Teams');
    forDiscord.fake.say(await openConversation(forDiscord.adapter), 'from Discord');
    await Promise.all([teams.fake.idle(), discord.fake.idle()]);
    expect(forTeams.events).toMatchObject([{ text: 'from Teams' }]);
    expect(forDiscord.events).toMatchObject([{ text: 'from Discord' }]);
  });

  it('goes on when one of two adapters for the same channel was disposed of', async () => {
    const platform = await startForTest('telegram');
    const chat = platform.createChat();
    const channel = platform.fake.channel;
    await chatSdk({ chat, channel }).dispose?.();
    const adapter = chatSdk({ chat, channel });
    platform.mount(adapter);
    const events = listen(adapter);
    platform.fake.say(await openConversation(adapter), 'Hello');
    await platform.fake.idle();
    expect(events).toMatchObject([{ text: 'Hello' }]);
  });
});
