import { describe, expect, it, vi } from 'vitest';
import type { DeliveryReceiver } from '../../src/delivery/delivery.js';
import { createFencing, type FencingOptions } from '../../src/delivery/fencing.js';
import type { ClaimedJob, SettleResult } from '../../src/delivery/queue.js';
import { AbortableRun } from '../../src/delivery/run-handlers.js';
import { ClaimLost } from '../../src/events/index.js';
import { createReceiver, inline, noAuth } from '../../src/public/index.js';
import { chatEvent } from '../helpers/events.js';

const LEASE_MS = 1_000;
const JOB = { conversation: 'c', type: 'message', claim: 1 } as ClaimedJob;

/** Fencing of a process whose claims are uncertain, and what it does. */
function setUp(options: Partial<FencingOptions>) {
  const done: string[] = [];
  const fencing = createFencing({
    renewLease: async () => void done.push('renew'),
    leaseMs: LEASE_MS,
    inbox: () => ({
      async holds() {
        done.push('ask');
        return true;
      },
    }),
    inboxName: () => 'inbox',
    inboxWorker: () => undefined,
    isClaimValid: () => false,
    log: () => undefined,
    ...options,
  });
  return { fencing, done };
}

/** A worker that recorded the outcome of the run so. */
const settled = (result: SettleResult | null): Partial<FencingOptions> => ({
  inboxWorker: () => ({ settlement: async () => result }),
});

describe('a claim', () => {
  it('that is certain needs no look at the database', async () => {
    const { fencing, done } = setUp({ isClaimValid: () => true });
    await fencing.ensureClaimed(JOB);
    expect(done).toEqual([]);
  });

  it('that is not certain is looked up after the lease is renewed', async () => {
    const { fencing, done } = setUp(settled(null));
    await fencing.ensureClaimed(JOB);
    expect(done).toEqual(['renew', 'ask']);
  });

  it('is looked up again if that took longer than a lease', async () => {
    const times = [0, LEASE_MS, LEASE_MS, 2 * LEASE_MS - 1];
    const now = vi.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 0);
    const { fencing, done } = setUp({});
    await fencing.ensureClaimed(JOB).finally(() => now.mockRestore());
    expect(done).toEqual(['renew', 'ask', 'renew', 'ask']);
  });

  it.each<SettleResult>(['idle', 'more'])(
    'of a run that has ended as %s is not looked up',
    async (result) => {
      const { fencing, done } = setUp(settled(result));
      await fencing.ensureClaimed(JOB);
      expect(done).toEqual([]);
    },
  );

  it('of a run that another process took over is lost', async () => {
    const { fencing, done } = setUp(settled('lost'));
    await expect(fencing.ensureClaimed(JOB)).rejects.toMatchObject({ code: 'CLAIM_LOST' });
    expect(done).toEqual([]);
  });
});

it('events that begin together: the first blocks the process for longer than its lease, and the others do not begin', async () => {
  const connected: DeliveryReceiver[] = [];
  const delivery = { ...inline(), connect: (to: DeliveryReceiver) => void connected.push(to) };
  const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, delivery });
  let isHeld = true;
  const begun: (string | null)[] = [];
  receiver.on('handoff.message', ({ conversationId }) => {
    begun.push(conversationId);
    isHeld = false;
  });
  const handle = async (conversationId: string): Promise<unknown> => {
    const ensure = async (): Promise<void> => {
      if (!isHeld) throw new ClaimLost();
    };
    return connected[0]?.handle(
      chatEvent(conversationId),
      new AbortableRun(1, { job: JOB, isValid: () => isHeld, ensure }),
    );
  };
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(handle));
  expect(begun).toEqual(['a']);
  expect(outcomes).toMatchObject([
    { value: 'handled' },
    { reason: { code: 'CLAIM_LOST' } },
    { reason: { code: 'CLAIM_LOST' } },
  ]);
});
