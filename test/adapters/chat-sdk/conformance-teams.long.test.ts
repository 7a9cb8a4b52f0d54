import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { createForKit, createHarness } from './harness.js';

const NO_RETRY_AFTER = "the SDK's Teams adapter does not pass Retry-After on.";

describeAdapter(
  createForKit,
  createHarness('teams', {
    unsupported: { 'rate-limited': NO_RETRY_AFTER, 'rate-limit-honoured': NO_RETRY_AFTER },
    secrets: ['teams-token-of-the-fake', 'teams-token-that-is-wrong', 'teams-secret-of-the-fake'],
  }),
  { describe, it },
);
