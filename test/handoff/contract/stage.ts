import { onTestFinished } from 'vitest';
import type { AdapterLink } from '../../../src/events/index.js';
import type { HandoffStore, NewConversation } from '../../../src/handoff/index.js';
import type { User } from '../../../src/public/index.js';

/** A separate database for each test. */
export interface StorePlace {
  /** Opens a store on it, as another process would. */
  open(): HandoffStore;
  /** Closes every store, and removes the database. */
  remove(): Promise<void>;
}

/** A kind of store that the contract is run against. */
export interface StoreEngine {
  createPlace(): Promise<StorePlace>;
}

/** Two stores on one database, which is removed with the test. */
export async function openTwo(engine: StoreEngine): Promise<[HandoffStore, HandoffStore]> {
  const place = await engine.createPlace();
  onTestFinished(() => place.remove());
  return [place.open(), place.open()];
}

/** A store, whose database is removed with the test. */
export async function openOne(engine: StoreEngine): Promise<HandoffStore> {
  const place = await engine.createPlace();
  onTestFinished(() => place.remove());
  return place.open();
}

/** A user with the given ids. */
export const user = (ids: Partial<User> = {}): User => ({
  key: 'conversation:c',
  userId: null,
  anonymousId: null,
  email: null,
  phone: null,
  ...ids,
});

/** A requested conversation. */
export const fresh = (id: string, more: Partial<NewConversation> = {}): NewConversation => ({
  id,
  bot: 'default',
  user: user(),
  botId: null,
  transcript: [],
  requestKey: `establish ${id}`,
  requestedAt: new Date(1_700_000_000_000),
  replyBy: new Date(1_700_000_060_000),
  ...more,
});

/** A conversation's link to a helpdesk. */
export const link = (externalId: string, adapter = 'desk'): AdapterLink => ({
  adapter,
  externalId,
  url: null,
  extra: {},
});

/** The number of `true` among results. */
export const yesses = (answers: readonly boolean[]): number => answers.filter(Boolean).length;
