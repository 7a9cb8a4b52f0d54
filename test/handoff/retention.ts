import { describe, expect, it, onTestFinished } from 'vitest';
import { createHandoffLifecycle } from '../../src/handoff/index.js';
import { eventually } from '../delivery/contract/stage.js';
import type { Engine } from '../delivery/contract.js';
import { requestEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { handoffsOf } from './stores-of.js';

/** How long a delivery keeps conversations. */
export function describeRetention(name: string, engine: Engine): void {
  const open = async (rememberMs: number) => {
    const store = await engine.createStore();
    const delivery = await store.open({ rememberMs });
    delivery.connect({
      name: 'default',
      hasBot: () => true,
      handles: () => true,
      handle: async () => {},
      greet: async () => {},
      report: () => {},
      log: logLines().log,
    });
    await delivery.start?.();
    onTestFinished(async () => {
      await delivery.stop({ timeoutMs: 1_000 });
      await store.remove();
    });
    return { delivery, lifecycle: createHandoffLifecycle(handoffsOf(delivery), { waitTimeoutMs: 60_000 }) };
  };

  describe(`conversations in ${name}`, () => {
    it('are removed some time after they were closed, and not before', async () => {
      const { lifecycle } = await open(50);
      for (const id of ['over', 'open']) await lifecycle.request(requestEvent(id));
      await lifecycle.end('over', 'user');
      await lifecycle.close('over');
      await eventually(async () => expect(await lifecycle.store.get('over')).toBeNull());
      expect(await lifecycle.store.get('open')).toMatchObject({ state: 'requested' });
    });

    it("are removed with their user's data, even if none of their events was stored", async () => {
      const { delivery, lifecycle } = await open(3_600_000);
      await lifecycle.request(requestEvent('hers', { userId: 'ada', anonymousId: 'a-1' }));
      await lifecycle.request(requestEvent('his', { userId: 'bob' }));
      expect(await delivery.queues?.forget('a-1')).toBe(1);
      expect(await lifecycle.store.get('hers')).toBeNull();
      expect(await lifecycle.store.get('his')).toMatchObject({ id: 'his' });
    });
  });
}
