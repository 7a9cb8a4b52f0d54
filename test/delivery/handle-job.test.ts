import { expect, it } from 'vitest';
import type { DeliveryReceiver } from '../../src/delivery/delivery.js';
import { createHandleJob } from '../../src/delivery/handle-job.js';
import { type ClaimedJob, MAX_CRASHES } from '../../src/delivery/queue.js';
import { createHandlerRunner } from '../../src/delivery/run-handlers.js';
import { storeEvent } from '../../src/delivery/storage/encoding.js';
import type { FailureDetails } from '../../src/events/index.js';
import { requestEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';

/** Runs a stored handoff once. */
async function handle(job: Partial<ClaimedJob>, receiver: Partial<DeliveryReceiver> = {}) {
  const event = requestEvent('c');
  const handled: string[] = [];
  const reported: (readonly [error: unknown, place: FailureDetails])[] = [];
  const handleJob = createHandleJob({
    receiver: {
      name: 'default',
      hasBot: () => true,
      handles: () => true,
      handle: async ({ conversationId }) => void handled.push(conversationId),
      greet: async () => {},
      report: (...failure) => void reported.push(failure),
      log: logLines().log,
      ...receiver,
    },
    runner: createHandlerRunner(60_000),
    backoff: { minDelayMs: 1_000, maxDelayMs: 1_000 },
    maxAttempts: 1,
    ensureClaimed: async () => {},
    isClaimValid: () => true,
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
    ...job,
  });
  return { outcome, handled, reported };
}

it('an event whose process died too often is not handled, and its last run is reported', async () => {
  const { outcome, handled, reported } = await handle({ attempt: 6, crashes: MAX_CRASHES });
  expect(outcome).toEqual({
    state: 'failed',
    error: expect.stringContaining('3 times while only this handoff.requested was being handled'),
    retryInMs: null,
    counts: true,
  });
  expect(handled).toEqual([]);
  expect(reported).toEqual([
    [expect.objectContaining({ code: 'PROCESS_ENDED' }), expect.objectContaining({ attempt: 5 })],
  ]);
});

it('a handoff whose greeting cannot be stored is not handled yet, which is no failed attempt', async () => {
  const { outcome, handled } = await handle({}, { greet: () => Promise.reject(new Error('no database')) });
  expect(outcome).toEqual({
    state: 'failed',
    error: 'Error: no database',
    retryInMs: expect.any(Number),
    counts: false,
  });
  expect(handled).toEqual([]);
});

it('an event of a bot that this process does not have waits, which is no failed attempt', async () => {
  const { outcome, handled } = await handle({}, { hasBot: () => false });
  expect(outcome).toMatchObject({ state: 'failed', retryInMs: expect.any(Number), counts: false });
  expect(handled).toEqual([]);
});
