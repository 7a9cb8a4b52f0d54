import type { AdapterCheckResult } from '../../bridge/index.js';
import { toAdapterError } from './errors.js';
import type { Platform } from './platform.js';
import type { CheckedSettings } from './settings.js';

/** Creates `check`: the Chat, the channel, and whether its history can be read. Writes nothing. */
export function createCheck(
  { chat, channel, adapter }: CheckedSettings,
  platform: Platform,
): () => Promise<readonly AdapterCheckResult[]> {
  const run = async (
    name: string,
    what: string,
    task: () => Promise<string>,
  ): Promise<AdapterCheckResult> => {
    try {
      return { name, ok: true, detail: await task() };
    } catch (error) {
      return { name, ok: false, detail: toAdapterError(platform.name, what, error).message };
    }
  };
  return async () => {
    const initialized = await run('chat', 'starting the Chat', async () => {
      await chat.initialize();
      return 'the Chat has started.';
    });
    if (!initialized.ok) return [initialized];
    return [
      initialized,
      await run('channel', 'reading the channel', async () => {
        if (!platform.hasThreads) {
          const { channelName } = await adapter.fetchThread(channel);
          return `the bot sees ${channelName ?? channel}.`;
        }
        if (!adapter.fetchChannelInfo) return `${platform.name} does not tell about channels.`;
        const { name } = await adapter.fetchChannelInfo(channel);
        return `the bot sees ${name ?? channel}.`;
      }),
      ...(platform.hasThreads
        ? [
            await run(
              'history',
              'reading the history of the channel, to find a conversation again,',
              async () => {
                for await (const _message of chat.channel(channel).messages) break;
                return 'the bot can read the channel.';
              },
            ),
          ]
        : []),
    ];
  };
}
