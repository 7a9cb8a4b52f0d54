import { onTestFinished } from 'vitest';
import type { AdapterLink } from '../../../src/events/index.js';
import type { HandoffStore, NewConversation } from '../../../src/handoff/index.js';
import type { User } from '../../../src/index.js';

/** A place to store in, of its own for each test. */
export interface StorePlace {
  /** Opens a store on it. Several may be open at once, as if each were a process. */
  open(): HandoffStore;
  /** Closes all that was opened, and removes it. */
  remove(): Promise<void>;
}

/** What the contract is held against. */
export interface StoreEngine {
  createPlace(): Promise<StorePlace>;
}

/** A place that goes with the test, and two stores on it. */
export async function openTwo(engine: StoreEngine): Promise<[HandoffStore, HandoffStore]> {
  const place = await engine.createPlace();
  onTestFinished(() => place.remove());
  return [place.open(), place.open()];
}

/** A place that goes with the test, and a store on it. */
export async function openOne(engine: StoreEngine): Promise<HandoffStore> {
  const place = await engine.createPlace();
  onTestFinished(() => place.remove());
  return place.open();
}

/** A user, known by whatever the test says. */
export const user = (ids: Partial<User> = {}): User => ({
  key: 'conversation:c',
  userId: null,
  anonymousId: null,
  email: null,
  phone: null,
  ...ids,
});

/** A conversation as it is asked for. */
export const fresh = (id: string, more: Partial<NewConversation> = {}): NewConversation => ({
  id,
  user: user(),
  botId: null,
  transcript: [],
  requestKey: `establish ${id}`,
  requestedAt: new Date(1_700_000_000_000),
  replyBy: new Date(1_700_000_060_000),
  ...more,
});

/** Where a conversation lives. */
export const link = (externalId: string, adapter = 'desk'): AdapterLink => ({
  adapter,
  externalId,
  url: null,
  extra: {},
});

/** How many of several answers are yes. */
export const yesses = (answers: readonly boolean[]): number => answers.filter(Boolean).length;
