import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Delivery } from '../../src/delivery/index.js';
import { chatEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { eventually } from './contract/stage.js';

/** The calls whose answer a test loses. */
export const LOST_CALLS = ['add', 'claim', 'complete', 'fail', 'release'] as const;

/** Loses the answer to a call after it was committed. */
export interface LostAnswer {
  /** Loses the next answer. */
  readonly arm: () => void;
  readonly isLost: () => boolean;
}

/**
 * Sends events until an answer is lost after its commit. Each event must then be handled once, in order, and no
 * conversation may stay claimed by this process, which does not know of the claim. The delivery needs `concurrency: 1`,
 * so that some claims are released.
 */
export async function checkLostAnswer(delivery: Delivery, { arm, isLost }: LostAnswer): Promise<void> {
  const started: string[] = [];
  const finished: string[] = [];
  delivery.connect({
    name: 'default',
    hasBot: () => true,
    handles: () => true,
    async handle({ key }, run) {
      const { attempt } = run;
      started.push(`${key} attempt ${attempt}`);
      // The other event of a pair is claimed for the slot, finds it taken again, and is released.
      await run.withoutSlot?.(() => nextTurn());
      await sleep(2);
      if (attempt === 1 && key.endsWith('fails')) throw new Error('not yet');
      finished.push(key);
    },
    greet: async () => {},
    report: () => {},
    log: logLines().log,
  });
  const sent: string[] = [];
  /** Resends after a 503, like a sender. */
  const send = async (key: string): Promise<void> => {
    const event = chatEvent(key.slice(0, 1), { key });
    await eventually(async () => expect(await delivery.accept(event)).toMatch(/^(stored|duplicate)$/));
  };
  const sendPair = async (name: string): Promise<void> => {
    const pair = ['a', 'b'].map((conversation) => `${conversation} ${name}`);
    sent.push(...pair);
    await Promise.all(pair.map(send));
  };
  await delivery.start?.();
  await sendPair('0');
  arm();
  for (let number = 1; !isLost(); number += 1) {
    await sendPair(`${number}`);
    await sendPair(`${number} fails`);
    await eventually(async () =>
      expect(isLost() || (await delivery.queues?.depth('inbox'))?.waiting === 0).toBe(true),
    );
  }
  await sendPair('last');

  const { database } = delivery;
  await eventually(async () => {
    expect(await delivery.queues?.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 });
    const owned = await database?.read(
      `SELECT conversation FROM ${database.table('head')} WHERE owner IS NOT NULL`,
    );
    expect(owned).toEqual([]);
  });
  for (const conversation of ['a', 'b']) {
    const own = (keys: readonly string[]): string[] => keys.filter((key) => key.startsWith(conversation));
    expect(own(finished)).toEqual(own(sent));
    const expected = own(sent).flatMap((key) =>
      key.endsWith('fails') ? [`${key} attempt 1`, `${key} attempt 2`] : [`${key} attempt 1`],
    );
    expect(own(started)).toEqual(expected);
  }
  await delivery.stop({ timeoutMs: 1_000 });
}
