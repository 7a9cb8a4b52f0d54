import { describe, expect, it } from 'vitest';
import { createHandoffLifecycle, type HandoffLifecycle } from '../../../src/handoff/index.js';
import { changeConversation } from '../../helpers/change-conversation.js';
import { requestEvent } from '../../helpers/events.js';
import { openTwo, type StoreEngine, yesses } from './stage.js';

const CALLERS = 12;

/** Two receivers that share one store. */
export function sharedLifecycle(engine: StoreEngine): void {
  describe('two receivers', () => {
    const open = async (): Promise<readonly [HandoffLifecycle, HandoffLifecycle]> => {
      const [one, other] = await openTwo(engine);
      return [
        createHandoffLifecycle(one, { waitTimeoutMs: 60_000 }),
        createHandoffLifecycle(other, { waitTimeoutMs: 60_000 }),
      ];
    };
    const each = <Result>(
      both: readonly [HandoffLifecycle, HandoffLifecycle],
      act: (lifecycle: HandoffLifecycle, nth: number) => Promise<Result>,
    ) => Promise.all(Array.from({ length: CALLERS }, (_, nth) => act(both[nth % 2 === 0 ? 0 : 1], nth)));

    it('start a conversation once, however often it is requested', async () => {
      const both = await open();
      const asked = await each(both, (lifecycle) => lifecycle.request(requestEvent('c', { key: 'same' })));
      expect(yesses(asked.map(({ isNew }) => isNew))).toBe(1);
      expect(await both[0].store.get('c')).toMatchObject({ session: 1, state: 'requested' });
    });

    it('close it once, and agree on who closed it', async () => {
      const both = await open();
      await both[0].request(requestEvent('c'));
      const ended = await each(both, (lifecycle, nth) =>
        lifecycle.end('c', nth % 2 === 0 ? 'user' : 'agent', `${nth}`),
      );
      const firsts = ended.filter((end) => end?.isFirst);
      expect(firsts).toHaveLength(1);
      for (const end of ended) expect(end?.conversation.closure).toEqual(firsts[0]?.conversation.closure);
      const closed = await each(both, (lifecycle) => lifecycle.close('c'));
      for (const conversation of closed) expect(conversation).toMatchObject({ state: 'closed', version: 3 });
    });

    it('start a new session once, when it is requested again', async () => {
      const both = await open();
      await both[0].request(requestEvent('c'));
      await both[0].end('c', 'user');
      await both[0].close('c');
      const asked = await each(both, (lifecycle) => lifecycle.request(requestEvent('c', { key: 'again' })));
      expect(yesses(asked.map(({ isNew }) => isNew))).toBe(1);
      expect(await both[1].store.get('c')).toMatchObject({ session: 2, state: 'requested', closure: null });
    });

    it('lose no change when both act at once', async () => {
      const both = await open();
      await both[0].request(requestEvent('c'));
      const link = { adapter: 'desk', externalId: '7', url: null, extra: {} };
      await Promise.all([
        both[0].accept('c'),
        changeConversation(both[1].store, 'c', { link }),
        both[0].replied('c', { isAgent: true, agentName: 'Bo' }),
        both[1].replied('c', { isAgent: false }),
      ]);
      expect(await both[0].store.get('c')).toMatchObject({ state: 'connected', link, agentName: 'Bo' });
    });
  });
}
