import { describe, expect, it } from 'vitest';
import { HandoffKitError } from '../../../src/public/index.js';
import { deferred } from '../../helpers/deferred.js';
import { requestEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { makeReceiver } from '../../helpers/start.js';
import { type Engine, eventually, stage } from './stage.js';

/** The first reply of a handoff. */
export function greeting(engine: Engine): void {
  describe('the greeting of a stored handoff', () => {
    const GREETING = { greeting: 'One moment, please' };

    it("is sent before the handler's replies", async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options, {}, GREETING);
      to.receiver.on('handoff.requested', ({ reply }) => reply('How can I help?'));
      await to.accept(requestEvent('c'));
      await eventually(() => expect(platform.said('c')).toEqual(['One moment, please', 'How can I help?']));
    });

    it("is sent before the handler's replies, even if the database failed at first", async () => {
      const platform = await flakyPlatform();
      const delivery = await (await stage(engine)).openDelivery();
      let failures = 2;
      const { receiver } = makeReceiver({
        ...GREETING,
        platform: platform.options,
        delivery: {
          ...delivery,
          createReplies(client) {
            const replies = delivery.createReplies?.(client);
            if (!replies) throw new Error('this delivery has no outbox');
            return {
              ...replies,
              async greet(...args) {
                failures -= 1;
                if (failures >= 0) throw new HandoffKitError('NOT_STORED', 'the reply could not be stored.');
                return replies.greet(...args);
              },
            };
          },
        },
      });
      receiver.on('handoff.requested', ({ reply }) => reply('How can I help?'));
      await receiver.start();
      expect(await delivery.accept(requestEvent('c'))).toBe('stored');
      await eventually(() => expect(platform.said('c')).toEqual(['One moment, please', 'How can I help?']));
      expect(failures).toBeLessThan(0);
      await receiver.close();
    });

    it('is sent once, however often the handler runs', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options, {}, GREETING);
      to.receiver.on('handoff.requested', async ({ attempt, reply }) => {
        if (attempt < 3) throw new Error('not yet');
        await reply('How can I help?');
      });
      await to.accept(requestEvent('c'));
      await eventually(() => expect(platform.said('c')).toEqual(['One moment, please', 'How can I help?']));
    });

    it('is sent once, even if the process ends while the handler runs', async () => {
      const platform = await flakyPlatform();
      const set = await stage(engine);
      const before = await set.receive(platform.options, {}, GREETING);
      before.receiver.on('handoff.requested', () => deferred().promise);
      await before.accept(requestEvent('c'));
      await eventually(() => expect(platform.said('c')).toEqual(['One moment, please']));
      // Otherwise its outcome is unknown, and it is sent again.
      await eventually(async () => expect(await before.queues.depth('outbox')).toMatchObject({ waiting: 0 }));
      await before.stop(1);
      const after = await set.receive(platform.options, {}, GREETING);
      after.receiver.on('handoff.requested', ({ reply }) => reply('How can I help?'));
      await after.start();
      await eventually(() => expect(platform.said('c')).toEqual(['One moment, please', 'How can I help?']));
    });
  });
}
