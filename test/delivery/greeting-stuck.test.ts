import { expect, it } from 'vitest';
import { createHandleJob } from '../../src/delivery/handle-job.js';
import { createHandlerRunner } from '../../src/delivery/run-handlers.js';
import { storeEvent } from '../../src/delivery/storage/encoding.js';
import { deferred } from '../helpers/deferred.js';
import { requestEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';

it('a greeting that never finishes does not block the handoff', async () => {
  const { log, about } = logLines();
  const event = requestEvent('c');
  const handled: string[] = [];
  const handleJob = createHandleJob({
    receiver: {
      name: 'default',
      hasBot: () => true,
      handles: () => true,
      handle: async ({ conversationId }) => void handled.push(conversationId),
      greet: () => deferred().promise,
      report: () => {},
      log,
    },
    runner: createHandlerRunner(60_000),
    backoff: { minDelayMs: 1, maxDelayMs: 1 },
    maxAttempts: 1,
    ensureClaimed: async () => {},
    isClaimValid: () => true,
    greetingTimeoutMs: 5,
  });
  const outcome = await handleJob({
    id: '1',
    conversation: 'c',
    type: event.name,
    content: storeEvent(event),
    attempt: 1,
    failures: 0,
    crashes: 0,
    interrupted: false,
    createdAt: 1,
    claim: 1,
  });
  expect(outcome).toEqual({ state: 'done' });
  expect(handled).toEqual(['c']);
  expect(about('the greeting takes long')).toMatchObject([{ conversationId: 'c' }]);
});
