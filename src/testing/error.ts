import { HandoffKitError } from '../internal/index.js';

/** What can go wrong in the hands of whoever writes a test. */
export type TestBenchErrorCode =
  /** What was given as a receiver cannot take requests, or its address cannot be one. */
  | 'INVALID_RECEIVER'
  /** The bench has no receiver yet. */
  | 'NOT_CONNECTED'
  /** The bench has a receiver already. */
  | 'ALREADY_CONNECTED'
  /** No user has asked for a human yet. */
  | 'NO_CONVERSATION'
  /** The conversation has ended, or never began. */
  | 'CONVERSATION_OVER'
  /** The reply that the test waits for did not come. */
  | 'NO_REPLY'
  /** The bench was closed. */
  | 'BENCH_CLOSED';

/** A test's wish that the bench cannot fulfil. The message shows what passed between receiver and service. */
export class TestBenchError extends HandoffKitError {
  declare readonly code: TestBenchErrorCode;
}
