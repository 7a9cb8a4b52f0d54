import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import { sampleRecord } from '../desk/sample-record.js';
import type { AgentWindow } from './agent-page.js';
import { describeInBrowser, launch } from './chromium.js';
import { SAMPLE_DAY, writeSampleDay } from './sample-day.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

/** Closed conversations that the page shows at first. */
const SHOWN = 50;

/** The number of DOM nodes in memory, including detached ones that are still referenced. */
async function countNodes({ context, page }: AgentWindow): Promise<number> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  await devtools.detach();
  return metrics.find(({ name }) => name === 'Nodes')?.value ?? Number.NaN;
}

describeInBrowser('a busy desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('frees the memory of conversations that were left', async () => {
    const { bench, logInAs } = await startDesk(browser);
    for (let index = 10; index < 40; index += 1)
      await bench.requestHandoff({ user: { userId: `customer-${index}` } });
    const ann = await logInAs('ann');
    await ann.itemIn('waiting', 'customer-39').waitFor();
    const visit = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        await ann.open(`customer-${index}`);
        await ann.field.pressSequentially('Hello');
      }
    };

    await visit(10, 15);
    const first = await countNodes(ann);
    await visit(15, 40);
    expect(await countNodes(ann)).toBeLessThan(first * 1.3);
    expect(ann.consoleErrors).toEqual([]);
  });

  it('has own conversations on top, however many wait', async () => {
    const { bench, logInAs } = await startDesk(browser);
    for (let index = 0; index < 200; index += 1)
      await bench.requestHandoff({ user: { userId: `customer-${index}` } });
    const ann = await logInAs('ann');
    await ann.open('customer-50');
    await ann.press('Claim');
    await ann.itemIn('active', 'customer-50').waitFor();
    await ann.inbox.locator('.list').evaluate((element) => element.scrollTo(0, 0));
    const box = await ann.itemIn('active', 'customer-50').boundingBox();
    expect(box?.y).toBeLessThan(720);
  });

  it('loads the conversations that the first answer leaves out', async () => {
    const { desk, logInAs } = await startDesk(browser);
    const records = createConversationRecords(desk.store);
    for (let nth = 0; nth < 1_200; nth += 1) {
      const record = sampleRecord(`customer-${nth}`, { requestedAt: Date.now() + nth });
      await records.add({ record, events: [] });
    }
    const ann = await logInAs('ann');
    await ann.page.getByRole('button', { name: 'Unassigned 1200' }).waitFor();
    // The one that has waited longest comes first, although it came last.
    await ann.itemIn('waiting', 'customer-0').waitFor();
  });

  it('renders a part of a long conversation, and more on request', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    for (let index = 0; index < 260; index += 1) await maria.say(`message ${index}`);
    const ann = await logInAs('ann');
    await ann.open('maria');
    await ann.sees('customer', 'message 259');
    const lines = ann.log.locator('.line');
    expect(await lines.count()).toBeLessThanOrEqual(100);
    await ann.page.locator('.talk').evaluate((element) => element.scrollTo(0, 0));
    for (;;) {
      const earlier = ann.page.getByRole('button', { name: 'Show earlier' });
      if ((await earlier.count()) === 0) break;
      const before = await lines.count();
      await earlier.click();
      await vi.waitFor(async () => expect(await lines.count()).toBeGreaterThan(before), { timeout: 10_000 });
    }
    expect(await ann.said()).toHaveLength(260);
    await maria.say('one more');
    await ann.page.getByRole('button', { name: 'New messages' }).click();
    await ann.sees('customer', 'one more');
  });

  it('limits undo to the open conversation', async () => {
    const { bench, logInAs } = await startDesk(browser);
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.requestHandoff({ user: { userId: 'john' } });
    const ann = await logInAs('ann');
    await ann.open('maria');
    await ann.field.pressSequentially('For Maria');
    await ann.open('john');
    await ann.field.pressSequentially('J');
    for (let times = 0; times < 3; times += 1) await ann.page.keyboard.press('Control+z');
    expect(await ann.field.inputValue()).toBe('');
    await ann.open('maria');
    expect(await ann.field.inputValue()).toBe('For Maria');
  });

  it('shows the newest closed conversations, and all of them on request', async () => {
    const { bench, desk, logInAs } = await startDesk(browser);
    await writeSampleDay(desk.store);
    const past = SAMPLE_DAY.reduce((sum, { handled, missed }) => sum + handled + missed, 0);
    const ann = await logInAs('ann');
    const closed = ann.inbox.locator('.closed [data-conversation]');
    const shown = (count: number) =>
      vi.waitFor(async () => expect(await closed.count()).toBe(count), { timeout: TIMEOUT_MS / 2 });
    await ann.view('Closed');
    await shown(SHOWN);

    await ann.view('All');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await ann.press('Claim');
    await ann.close();
    await ann.view('Closed');
    await ann.itemIn('closed', 'maria').waitFor();
    await shown(SHOWN);

    // The oldest one stays while it is open; the next page still starts after the newest ones.
    await ann.page.getByRole('searchbox').fill('customer-0');
    await shown(0);
    await ann.open('customer-0');
    await ann.page.getByRole('searchbox').fill('');
    await shown(SHOWN + 1);
    await ann.press('Show more');
    await shown(past + 1);
    await ann.page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(ann.consoleErrors).toEqual([]);
  });
});
