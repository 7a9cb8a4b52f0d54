import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AgentAtDesk } from './agent.js';
import { describeInBrowser, launch } from './chromium.js';
import { DAY, writeDay } from './day.js';
import { PATIENCE_MS, startDesk } from './desk-rig.js';

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

/** Closed conversations that the page shows before it is asked for more. */
const SHOWN = 50;

/** How many nodes the page holds, those among them that are no longer in the document but still held by something. */
async function nodesHeld({ context, page }: AgentAtDesk): Promise<number> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  await devtools.detach();
  return metrics.find(({ name }) => name === 'Nodes')?.value ?? Number.NaN;
}

describeInBrowser('a desk where much goes on', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('lets go of conversations that were left', async () => {
    const { bench, enter } = await startDesk(browser);
    for (let index = 10; index < 40; index += 1)
      await bench.requestHandoff({ user: { userId: `customer-${index}` } });
    const ann = await enter('ann');
    await ann.itemIn('waiting', 'customer-39').waitFor();
    const visit = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        await ann.open(`customer-${index}`);
        await ann.field.pressSequentially('Hello');
      }
    };

    await visit(10, 15);
    const first = await nodesHeld(ann);
    await visit(15, 40);
    expect(await nodesHeld(ann)).toBeLessThan(first * 1.3);
    expect(ann.complaints).toEqual([]);
  });

  it('undoes nothing that was written elsewhere', async () => {
    const { bench, enter } = await startDesk(browser);
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.requestHandoff({ user: { userId: 'john' } });
    const ann = await enter('ann');
    await ann.open('maria');
    await ann.field.pressSequentially('For Maria');
    await ann.open('john');
    await ann.field.pressSequentially('J');
    for (let times = 0; times < 3; times += 1) await ann.page.keyboard.press('Control+z');
    expect(await ann.field.inputValue()).toBe('');
    await ann.open('maria');
    expect(await ann.field.inputValue()).toBe('For Maria');
  });

  it('keeps the newest of the closed ones, and shows all of them when asked', async () => {
    const { bench, shelf, enter } = await startDesk(browser);
    await writeDay(shelf);
    const past = DAY.reduce((sum, { handled, missed }) => sum + handled + missed, 0);
    const ann = await enter('ann');
    const closed = ann.inbox.locator('.closed [data-conversation]');
    const shown = (count: number) =>
      vi.waitFor(async () => expect(await closed.count()).toBe(count), { timeout: PATIENCE_MS / 2 });
    await shown(SHOWN);

    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await ann.close();
    await ann.itemIn('closed', 'maria').waitFor();
    await shown(SHOWN);

    // The oldest of all stays while it is looked at; those between are not passed over for that.
    await ann.page.getByRole('searchbox').fill('customer-0');
    await shown(0);
    await ann.open('customer-0');
    await ann.page.getByRole('searchbox').fill('');
    await shown(SHOWN + 1);
    await ann.press('Show more');
    await shown(past + 1);
    await ann.page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(ann.complaints).toEqual([]);
  });
});
