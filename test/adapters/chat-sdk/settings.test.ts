import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import { describe, expect, it } from 'vitest';
import { chatSdk } from '../../../src/adapters/chat-sdk/index.js';
import { asAdapter } from '../../fixtures/chat-platforms/fake-platform.js';

const createChat = (concurrency?: ConstructorParameters<typeof Chat>[0]['concurrency']) =>
  new Chat({
    userName: 'handoff',
    adapters: { slack: asAdapter(createSlackAdapter({ botToken: 'xoxb-1', signingSecret: 's' })) },
    state: createMemoryState(),
    logger: 'silent',
    ...(concurrency && { concurrency }),
  });

describe('the settings of the Chat SDK adapter', () => {
  it('take a Chat that handles every message', () => {
    const settings = { channel: 'slack:C0123456789' };
    expect(chatSdk({ chat: createChat('concurrent'), ...settings }).name).toBe('chat-sdk-slack');
    const limited = createChat({ strategy: 'concurrent', maxConcurrent: 5 });
    expect(chatSdk({ chat: limited, ...settings }).capabilities.maxTextLength).toBe(3_800);
  });

  it('refuse a channel of a platform that the Chat does not have', () => {
    expect(() => chatSdk({ chat: createChat('concurrent'), channel: 'teams:abc' })).toThrow(
      'the Chat has no adapter "teams"',
    );
  });

  it('refuse settings that would make replies impossible', () => {
    const settings = { chat: createChat('concurrent'), channel: 'slack:C0123456789' };
    expect(() => chatSdk({ ...settings, closeWords: [] })).toThrow('closeWords must have at least one word');
    expect(() => chatSdk({ ...settings, closeWords: ['two words'] })).toThrow('each without spaces');
    expect(() => chatSdk({ ...settings, insidePrefix: ' ' })).toThrow('insidePrefix must not be empty');
  });
});
