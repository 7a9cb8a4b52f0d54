import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { createForKit, createHarness, jsonAnswer } from './harness.js';

describeAdapter(
  createForKit,
  createHarness('discord', {
    secrets: ['discord-token-of-the-fake', 'discord-token-that-is-wrong'],
    faults: {
      rateLimited: (seconds) =>
        jsonAnswer(429, { message: 'You are being rate limited.', retry_after: seconds, global: false }),
    },
  }),
  { describe, it },
);
