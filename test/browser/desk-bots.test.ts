import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { addressOf, post, runNode } from '../standalone/program.js';
import { describeInBrowser, launch } from './chromium.js';
import { TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('a desk with two bots', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('shows whose conversation it is, and lists those of one bot on request', async () => {
    const program = runNode(['dist/cli/main.js', 'demo', '--json', '--bots', '2']);
    const origin = await addressOf(program);
    const page = await browser.newPage();
    await page.goto(`${origin}/desk/`);
    for (const botId of ['sales', 'support', 'support']) {
      await post(`${origin}/platform/simulator/handoff`, { botId, componentId: 'demo-desk' });
      await post(`${origin}/platform/simulator/close`, {}).catch(() => undefined);
    }
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Closed' }).click();
    const badges = page.locator('.inbox .item .bot');
    await expect.poll(async () => (await badges.allTextContents()).toSorted()).toContain('support');
    await expect.poll(() => badges.allTextContents()).toContain('sales');

    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Bot', { exact: true }).selectOption('sales');
    await expect.poll(async () => new Set(await badges.allTextContents())).toEqual(new Set(['sales']));
    await page.locator('.inbox .item').first().click();
    await page.locator('.conversation-header .bot', { hasText: 'sales' }).waitFor();
    await page.getByLabel('Bot', { exact: true }).selectOption('');
    await expect.poll(() => badges.allTextContents()).toContain('support');
  });
});
