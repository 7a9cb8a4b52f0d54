import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { createForKit, createHarness, jsonAnswer } from './harness.js';

describeAdapter(
  createForKit,
  createHarness('telegram', {
    secrets: ['telegram-token-of-the-fake', 'telegram-token-that-is-wrong', 'telegram-secret-of-the-fake'],
    unsupported: {
      'find-opened': 'Telegram shows no history to bots.',
      gone: 'all conversations share the chat, so that none can go away alone.',
    },
    faults: {
      refused: jsonAnswer(400, {
        ok: false,
        error_code: 400,
        description: 'Bad Request: message is refused',
      }),
      unauthorized: jsonAnswer(401, { ok: false, error_code: 401, description: 'Unauthorized' }),
      rateLimited: (retry_after) =>
        jsonAnswer(429, {
          ok: false,
          error_code: 429,
          description: 'Too Many Requests',
          parameters: { retry_after },
        }),
      unavailable: jsonAnswer(503, { ok: false, error_code: 503, description: 'Service Unavailable' }),
    },
  }),
  { describe, it },
);
