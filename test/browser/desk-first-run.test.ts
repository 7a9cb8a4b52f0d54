import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { expectEveryLook, inEachLanguage } from './every-look.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('the first run of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('leads an administrator through what is left to set up', async () => {
    const { url, bench, desk, logInAs } = await startDesk(browser);
    await desk.agents.remove('bob');
    const ann = await logInAs('ann');
    const { page } = ann;
    const list = page.getByRole('region', { name: 'Set up the desk' });
    const left = () => list.locator('li:not(.done)').allInnerTexts();
    await list.waitFor();
    expect(await left()).toEqual([
      'Add the agents who answer',
      'Set the business hours',
      expect.stringContaining('Try a handoff'),
    ]);
    await inEachLanguage(page, async (language) => {
      await page.locator('.first-run').waitFor();
      await expectEveryLook(page, `the first run, ${language}`);
    });
    await page.evaluate(`localStorage.setItem('handoff-desk-language', 'en')`);
    await page.setViewportSize({ width: 1_200, height: 720 });
    await page.reload();

    await list.getByRole('link', { name: 'Add the agents who answer' }).click();
    await page.getByLabel('Login name').fill('cleo');
    await page.getByLabel('Name', { exact: true }).fill('Cleo');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.goto(`${url}#/`);
    await list.getByRole('link', { name: 'Set the business hours' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    await bench.requestHandoff({ user: { userId: 'maria' } });
    await page.goto(`${url}#/`);
    await list.waitFor();
    expect(await left()).toEqual([expect.stringContaining('Try a handoff')]);
    await ann.open('maria');
    await ann.reply('Hello!');
    await ann.delivery('Hello!', 'sent');
    await page.goto(`${url}#/`);
    await ann.item('maria').waitFor();
    expect(await list.count()).toBe(0);
    // It does not come back when the agents leave.
    await desk.agents.remove('cleo');
    await page.reload();
    await ann.item('maria').waitFor();
    expect(await list.count()).toBe(0);
    expect(ann.consoleErrors).toEqual([]);
  });

  it('can be hidden, and is for administrators', async () => {
    const { logInAs } = await startDesk(browser);
    const bob = await logInAs('bob');
    const ann = await logInAs('ann');
    const list = ann.page.getByRole('region', { name: 'Set up the desk' });
    await list.getByRole('button', { name: 'Dismiss' }).click();
    await list.waitFor({ state: 'detached' });
    const loaded = ann.page.waitForResponse(/api\/state$/);
    await ann.page.reload();
    await loaded;
    await ann.inbox.waitFor();
    expect(await list.count()).toBe(0);
    expect(await bob.page.getByRole('region', { name: 'Set up the desk' }).count()).toBe(0);
  });
});
