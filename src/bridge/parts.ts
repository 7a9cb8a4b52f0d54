import type { HandoffLifecycle } from '../handoff/index.js';
import type { Log } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import type { Adapter } from './adapter.js';
import type { AdapterCalls } from './adapter-calls.js';
import type { MakeText } from './messages.js';
import type { BridgeSettings } from './options.js';
import type { AuthWatch, RetryByKind } from './retry-by-kind.js';
import type { Counters } from './stats.js';

/** What every part of a bridge works with. */
export interface BridgeParts {
  readonly adapter: Adapter;
  readonly conversations: Receiver['conversations'];
  readonly lifecycle: HandoffLifecycle;
  /** Whether replies are stored before they are sent. */
  readonly isStored: boolean;
  readonly settings: BridgeSettings;
  readonly calls: AdapterCalls;
  readonly retry: RetryByKind;
  readonly auth: AuthWatch;
  readonly text: MakeText;
  readonly counters: Counters;
  /** Hides what people write. */
  readonly log: Log;
  /** Who this process is, among those that share the store. */
  readonly owner: string;
  /** Aborts when nothing more is begun in the background. */
  readonly background: AbortSignal;
}

/** How long facts about a conversation are remembered that a later repeat is held against. */
export const REMEMBER_MS = 7 * 86_400_000;
