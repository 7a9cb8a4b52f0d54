import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { SAMPLE_DAY, writeSampleDay } from './sample-day.js';
import { takeScreenshot } from './screenshots.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const busiest = SAMPLE_DAY.findIndex(({ handled }) => handled === 9);

describeInBrowser('the dashboard of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('shows the numbers of the day and retries a dead letter', async () => {
    const outbox = { minDelayMs: 50, maxDelayMs: 200, giveUpAfterMs: 1 };
    const { bench, logInAs } = await startDesk(browser, { outbox });
    bench.clock.advance(Date.now() - bench.clock.now());
    const ann = await logInAs('ann');
    const { page } = ann;
    for (const userId of ['kim.lee', 'ben.ito']) {
      await bench.requestHandoff({ user: { userId } });
      await ann.open(userId);
      await ann.reply(`Hello ${userId}`);
      await ann.delivery(`Hello ${userId}`, 'sent');
      await ann.close();
      await ann.view('Closed');
      await ann.itemIn('closed', userId).waitFor();
      await ann.view('All');
    }
    await bench.requestHandoff({ user: { userId: 'missed' } });
    await bench.closeByUser();
    const maria = await bench.requestHandoff({ user: { userId: 'maria.lopez' } });
    await bench.requestHandoff({ user: { userId: 'waiting' } });
    await ann.open('maria.lopez');
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('It is in Lyon.');
    await ann.delivery('It is in Lyon.', 'failed');

    await page.getByRole('link', { name: 'Dashboard' }).click();
    const tile = (name: string) => page.locator('.tiles > div', { hasText: name }).locator('dd');
    await tile('Waiting now').getByText('1', { exact: true }).waitFor();
    await tile('Active now').getByText('1', { exact: true }).waitFor();
    await tile('Handled today').getByText('2', { exact: true }).waitFor();
    await tile('Missed today').getByText('1', { exact: true }).waitFor();
    await tile('First reply (median)')
      .getByText(/^\d+ s$/)
      .waitFor();
    const chart = page.getByRole('figure').filter({ hasText: 'Requests per hour' });
    expect(await chart.locator('svg g').count()).toBe(24);
    // The same numbers as a table.
    await chart.getByText('As a table').click();
    await chart
      .getByRole('cell', { name: /handled \d/ })
      .first()
      .waitFor();
    await page.getByRole('row', { name: 'Ann' }).getByText('2', { exact: true }).first().waitFor();

    await chart.getByText('As a table').click();

    const dead = page.locator('.dead li');
    await dead.getByText(maria.id).waitFor();
    await dead.getByRole('button', { name: 'View' }).click();
    await page.getByRole('dialog').getByText('It is in Lyon.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await axeViolations(page)).toEqual([]);

    bench.faults.clear('answerError');
    await dead.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No failed deliveries.').waitFor();
    expect((await maria.nextReply({ timeoutMs: TIMEOUT_MS })).text).toBe('It is in Lyon.');
    await ann.open('maria.lopez');
    await ann.delivery('It is in Lyon.', 'sent');
    expect(maria.replies).toHaveLength(1);
  });

  it('draws the last 24 hours', async () => {
    const { bench, desk, logInAs } = await startDesk(browser, { outbox: { giveUpAfterMs: 1 } });
    bench.clock.advance(Date.now() - bench.clock.now());
    await writeSampleDay(desk.store);
    const ann = await logInAs('ann');
    const { page } = ann;
    for (const userId of ['maria.lopez', 'visitor-7f3a']) await bench.requestHandoff({ user: { userId } });
    await ann.open('maria.lopez');
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('It is in Lyon.');
    await ann.delivery('It is in Lyon.', 'failed');
    await page.getByRole('link', { name: 'Dashboard' }).click();
    const chart = page.getByRole('figure').filter({ hasText: 'Requests per hour' });
    await chart.waitFor();
    const drawn = `[...document.querySelectorAll('.chart:first-child rect.good')].map((bar) => bar.getBBox().height > 0)`;
    expect(await page.evaluate(drawn)).toEqual([...SAMPLE_DAY.map(({ handled }) => handled > 0), false]);
    expect(await chart.locator('.axis-y span').allTextContents()).toEqual(['10', '5', '0']);
    // The axes stay readable on a phone, where the drawing shrinks.
    await page.setViewportSize({ width: 360, height: 740 });
    const sizes = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.chart:first-child .plot span')].map((label) => parseFloat(getComputedStyle(label).fontSize))`,
    );
    expect(sizes).toHaveLength(7);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
    expect(await chart.locator('svg text').count()).toBe(0);
    await page.setViewportSize({ width: 1_200, height: 720 });
    await chart.getByText('As a table').click();
    await chart.getByRole('row').nth(busiest).getByText('handled 9, missed 1').waitFor();
    await chart.getByText('As a table').click();
    await page.locator('.dead li').waitFor();
    await ann.notice.locator('p').waitFor({ state: 'detached' });
    await takeScreenshot(page, 'desk-dashboard');
  });

  it('discards a dead letter after a confirmation', async () => {
    const outbox = { minDelayMs: 50, maxDelayMs: 200, giveUpAfterMs: 1 };
    const { bench, logInAs } = await startDesk(browser, { outbox });
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria.lopez' } });
    await ann.open('maria.lopez');
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('Hello!');
    await ann.delivery('Hello!', 'failed');
    bench.faults.clear('answerError');
    await ann.page.getByRole('link', { name: 'Dashboard' }).click();
    await ann.press('Discard');
    await ann.press('Cancel');
    await ann.page.locator('.dead li').waitFor();
    await ann.press('Discard');
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await ann.page.getByText('No failed deliveries.').waitFor();
    expect(bench.replies).toEqual([]);
  });
});
