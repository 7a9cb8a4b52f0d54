import { onTestFinished, vi } from 'vitest';
import { type ChatSdkAdapter, chatSdk } from '../../../src/adapters/chat-sdk/index.js';
import { type Bridge, createBridge, type InboundEvent } from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { createReceiver } from '../../../src/public/index.js';
import { createTestBench } from '../../../src/testing/index.js';
import { type MountedPlatform, type PlatformName, startPlatform } from './harness.js';

const TIMEOUT_MS = 60_000;

/** Waits until a check passes. */
export const eventually = (check: () => void) => vi.waitFor(check, { timeout: TIMEOUT_MS });

/** Starts a fake platform that stops with the test. */
export async function startForTest(name: PlatformName): Promise<MountedPlatform> {
  const platform = await startPlatform(name);
  onTestFinished(() => platform.stop());
  return platform;
}

/** Starts the simulated platform of bots, a receiver with a bridge, and a fake chat platform. */
export async function setUpHandoff(name: PlatformName) {
  const platform = await startForTest(name);
  const { fake } = platform;
  let bridge: Bridge | undefined;
  const bench = await createTestBench({
    replyTimeoutMs: TIMEOUT_MS,
    receiver: (given) => {
      const receiver = createReceiver(given);
      const adapter = chatSdk(platform.settings(platform.createChat()));
      platform.mount(adapter);
      bridge = createBridge({ receiver, adapter, agentNames: true, log: false });
      return receiver;
    },
  });
  onTestFinished(async () => {
    await bench.close();
    await bridge?.close({ timeoutMs: 1_000 });
  });
  const externalId = (): string => {
    const [first] = fake.conversations();
    if (first === undefined) throw new Error('nothing was opened');
    return first;
  };
  return { bench, fake, externalId };
}

/** Listens to an adapter in place of a bridge. */
export function listen(
  adapter: ChatSdkAdapter,
  store: (event: InboundEvent) => Promise<void> | void = () => {},
): InboundEvent[] {
  const events: InboundEvent[] = [];
  const stopping = new AbortController();
  const emit = async (event: InboundEvent): Promise<null> => {
    await store(event);
    events.push(event);
    return null;
  };
  const listening = adapter.stream?.(emit, { signal: stopping.signal, log: silentLog });
  onTestFinished(async () => {
    stopping.abort();
    await listening;
    await adapter.dispose?.();
  });
  return events;
}

/** Opens a conversation without a bridge. */
export async function openConversation(adapter: ChatSdkAdapter, key = 'session 1'): Promise<string> {
  const user = { key: 'ada', userId: 'ada', anonymousId: null, email: null, phone: null };
  const now = new Date();
  const session = {
    key,
    conversationId: key,
    user,
    botId: null,
    transcript: [],
    requestedAt: now,
    replyBy: now,
  } as unknown as Parameters<ChatSdkAdapter['open']>[0];
  const call = { signal: new AbortController().signal, log: silentLog };
  return (await adapter.open(session, call)).externalId;
}
