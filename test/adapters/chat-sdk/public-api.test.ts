import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatSdk } from '../../../src/adapters/chat-sdk/index.js';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { deferred } from '../../helpers/deferred.js';
import { PLATFORMS, type PlatformName } from './harness.js';
import { eventually, listen, openConversation, startForTest } from './support.js';

const PUBLIC_METHODS = [
  'channel',
  'initialize',
  'onNewMention',
  'onNewMessage',
  'onSubscribedMessage',
  'thread',
] as const;

/** A Chat without what the SDK does not declare as public. */
function withoutPrivateParts(chat: Chat): Chat {
  const methods = PUBLIC_METHODS.map((name) => [name, chat[name].bind(chat)]);
  const getAdapter = (name: string) =>
    Object.assign(Object.create(chat.getAdapter(name)), { createDiscordThread: undefined });
  return { ...Object.fromEntries(methods), webhooks: chat.webhooks, getAdapter } as Chat;
}

describe('the adapter', () => {
  it.each(Object.keys(PLATFORMS) as PlatformName[])(
    'uses public parts of the SDK only, on %s',
    async (name) => {
      const platform = await startForTest(name);
      const adapter = chatSdk(platform.settings(withoutPrivateParts(platform.createChat())));
      platform.mount(adapter);
      const events = listen(adapter);
      platform.fake.say(await openConversation(adapter), 'Hello');
      await platform.fake.idle();
      expect(events).toMatchObject([{ text: 'Hello' }]);
    },
  );

  it('needs a token to start threads on Discord', async () => {
    const platform = await startForTest('discord');
    const discord = { botToken: ' ' };
    expect(() => chatSdk({ ...platform.settings(platform.createChat()), discord })).toThrow(
      'Discord needs discord.botToken, or DISCORD_BOT_TOKEN in the environment',
    );
  });
});

describe('a Chat with another concurrency', () => {
  it.each(['queue', 'burst', 'debounce', 'drop'] as const)(
    'brings all replies with %s, and the log says what to set',
    async (concurrency) => {
      const platform = await startForTest('slack');
      const { fake } = platform;
      const chat = new Chat({
        userName: 'handoff',
        adapters: { slack: fake.createAdapter(fake.apiUrl, 'right') },
        state: createMemoryState(),
        concurrency,
        logger: 'silent',
      });
      const adapter = chatSdk(platform.settings(chat));
      platform.mount(adapter);
      const events: InboundEvent[] = [];
      const logged: string[] = [];
      const stored = deferred();
      const emit = async (event: InboundEvent): Promise<null> => {
        await stored.promise;
        events.push(event);
        return null;
      };
      const stopping = new AbortController();
      const log = {
        ...silentLog,
        error: ({ err }: { err?: unknown }, text: string) => void logged.push(`${text} ${String(err)}`),
      };
      const listening = adapter.stream?.(emit, { signal: stopping.signal, log });
      onTestFinished(async () => {
        stopping.abort();
        await listening;
      });
      const externalId = await openConversation(adapter);
      await fake.idle();
      const before = fake.statuses.length;
      for (const text of ['one', 'two', 'three']) fake.say(externalId, text);
      // Two of them find the first still waiting for its store.
      await eventually(() => expect(fake.statuses.length - before).toBeGreaterThanOrEqual(2));
      stored.resolve();
      const texts = () => events.map((event) => event.kind === 'message' && event.text);
      await eventually(() => expect(new Set(texts())).toEqual(new Set(['one', 'two', 'three'])));
      await fake.idle();
      expect(logged.join()).toContain('makes messages wait for one another');
    },
  );
});
