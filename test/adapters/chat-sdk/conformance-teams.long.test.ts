import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { createForKit, createHarness } from './harness.js';

describeAdapter(
  createForKit,
  createHarness('teams', {
    unsupported: { 'rate-limited': "the SDK's Teams adapter does not pass Retry-After on." },
    secrets: ['teams-token-of-the-fake', 'teams-token-that-is-wrong', 'teams-secret-of-the-fake'],
  }),
  { describe, it },
);
