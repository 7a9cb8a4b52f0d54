import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import { type ChatSdkAdapter, type ChatSdkSettings, chatSdk } from '../../../src/adapters/chat-sdk/index.js';
import type {
  AdapterFactory,
  AdapterHarness,
  FaultAnswer,
  HarnessHelpdesk,
} from '../../../src/testing/index.js';
import { startFakeDiscord } from '../../fixtures/chat-platforms/fake-discord.js';
import type { FakePlatform } from '../../fixtures/chat-platforms/fake-platform.js';
import { startFakeSlack } from '../../fixtures/chat-platforms/fake-slack.js';
import { startFakeTeams } from '../../fixtures/chat-platforms/fake-teams.js';
import { startFakeTelegram } from '../../fixtures/chat-platforms/fake-telegram.js';

/** The platforms whose real adapters of the SDK are tested. */
export const PLATFORMS = {
  slack: startFakeSlack,
  teams: startFakeTeams,
  discord: startFakeDiscord,
  telegram: startFakeTelegram,
} as const;

/** A name of {@link PLATFORMS}. */
export type PlatformName = keyof typeof PLATFORMS;

/** A fake platform, and the server that its webhooks go to. */
export interface MountedPlatform {
  readonly fake: FakePlatform;
  /** Creates a Chat with the SDK's adapter for the platform. */
  createChat(options?: { readonly apiUrl?: string; readonly credentials?: 'right' | 'wrong' }): Chat;
  /** The settings of an adapter for the platform. */
  settings(
    chat: Chat,
    options?: { readonly apiUrl?: string; readonly credentials?: 'right' | 'wrong' },
  ): ChatSdkSettings;
  /** Webhooks go to this adapter from now on; `null`: they are refused. */
  mount(adapter: Pick<ChatSdkAdapter, 'webhook'> | null): void;
  stop(): Promise<void>;
}

/** Starts a fake platform. */
export async function startPlatform(name: PlatformName): Promise<MountedPlatform> {
  let mounted: Pick<ChatSdkAdapter, 'webhook'> | null = null;
  const server = createServer((request, response) => {
    if (mounted) mounted.webhook(request, response);
    else request.resume().on('end', () => response.writeHead(503).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake = await PLATFORMS[name](`http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`);
  return {
    fake,
    createChat: ({ apiUrl = fake.apiUrl, credentials = 'right' } = {}) =>
      new Chat({
        userName: 'handoff',
        adapters: { [name]: fake.createAdapter(apiUrl, credentials) },
        state: createMemoryState(),
        concurrency: 'concurrent',
        logger: 'silent',
      }),
    settings: (chat, { apiUrl = fake.apiUrl, credentials = 'right' } = {}) => ({
      chat,
      channel: fake.channel,
      ...fake.settings?.(apiUrl, credentials),
    }),
    mount(adapter) {
      mounted = adapter;
    },
    async stop() {
      await fake.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** The fake as a helpdesk of the conformance kit. */
export interface PlatformHelpdesk extends HarnessHelpdesk {
  readonly platform: MountedPlatform;
}

/** The harness of a platform for the conformance kit. */
export function createHarness(
  name: PlatformName,
  more: Pick<AdapterHarness, 'secrets' | 'unsupported' | 'faults'>,
): AdapterHarness<PlatformHelpdesk> {
  return {
    name: `${name} through the Chat SDK (a fake of it)`,
    stepTimeoutMs: 30_000,
    ...more,
    unsupported: {
      join: 'chat platforms have no assignment.',
      attach: 'messages.test.ts has files, in the form of each platform.',
      ...more.unsupported,
    },
    async start() {
      const platform = await startPlatform(name);
      const { fake } = platform;
      return {
        platform,
        baseUrl: fake.apiUrl,
        list: async () => fake.conversations(),
        async read(externalId) {
          const shown = fake.shown(externalId);
          return { isClosed: shown.some((text) => text.startsWith('Closed: ')), shown, customer: null };
        },
        agent: {
          name: 'Ann Lee',
          reply: async (externalId, text) => fake.say(externalId, text),
          note: async (externalId, text) => fake.say(externalId, `// ${text}`),
          close: async (externalId) => fake.say(externalId, '!close'),
          replyAndClose: async (externalId, text) => fake.say(externalId, `${text}\n!close`),
        },
        stop: () => platform.stop(),
      };
    },
  };
}

/** Creates the adapter for the conformance kit. */
export const createForKit: AdapterFactory<PlatformHelpdesk> = async ({ baseUrl, credentials, helpdesk }) => {
  const { platform } = helpdesk;
  const { fake } = platform;
  const chat = platform.createChat({ apiUrl: baseUrl, credentials });
  const adapter = chatSdk(platform.settings(chat, { apiUrl: baseUrl, credentials }));
  platform.mount(adapter);
  if (fake.warmUp) {
    await chat.initialize();
    await fake.warmUp(chat.getAdapter(fake.channel.split(':')[0] ?? ''));
  }
  return adapter;
};

/** An answer of a platform's API instead of the real one. */
export const jsonAnswer = (status: number, body: unknown): FaultAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
