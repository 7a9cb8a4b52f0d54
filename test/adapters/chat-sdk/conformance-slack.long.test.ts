import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { createForKit, createHarness, jsonAnswer } from './harness.js';

describeAdapter(
  createForKit,
  createHarness('slack', {
    unsupported: { 'emoji-to-user': 'the SDK gives emoji of Slack by their names, such as :wave:.' },
    secrets: ['xoxb-1111-2222-fakefakefake', '8f742231b10e8888abcd99yyyzzz85a5', 'xoxb-that-is-wrong'],
    faults: { unauthorized: jsonAnswer(200, { ok: false, error: 'invalid_auth' }) },
  }),
  { describe, it },
);
