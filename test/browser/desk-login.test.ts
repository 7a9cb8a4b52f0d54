import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { axeFinds } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { logIn, openWindow, PASSWORD, PATIENCE_MS, startDesk } from './desk-rig.js';

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

describeInBrowser('the login of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('lets in who has the password, keeps them in, and lets them out', async () => {
    const { url } = await startDesk(browser);
    const { page, complaints } = await openWindow(browser, url);
    await page.getByLabel('Name').fill('ann');
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Name or password is wrong.').waitFor();
    expect(await page.title()).toBe('Log in to the desk');
    // The browser itself notes the answer 401.
    expect(complaints.filter((line) => !line.includes('401'))).toEqual([]);

    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('banner').getByText('Ann', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('banner').getByText('Ann', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to the desk' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Log in to the desk' }).waitFor();
  });

  it('says so when too many tries have failed', async () => {
    const { url } = await startDesk(browser);
    const { page } = await openWindow(browser, url);
    // Waits grow with every failure, so that on the slowest machine one of these comes too early.
    for (let tries = 0; tries < 15; tries += 1) {
      const answered = page.waitForResponse(/\/login$/);
      await logIn(page, 'ann', `wrong ${tries}`);
      if ((await answered).status() === 429) break;
      await page.locator('button:enabled').waitFor();
    }
    await page
      .getByRole('alert')
      .getByText(/^Too many tries\. Wait \d+ seconds\.$/)
      .waitFor();
  });

  it('is left to the application that the desk is part of, where that has it', async () => {
    let isLoggedIn = false;
    const host = () => (isLoggedIn ? { id: 'ann', name: 'Ann' } : null);
    const { url } = await startDesk(browser, { host });
    const { page, complaints } = await openWindow(browser, url);
    await page.getByText('Log in at the application that this desk is part of').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    expect(await axeFinds(page)).toEqual([]);

    isLoggedIn = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('banner').getByText('Ann', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps two agents apart in two browsers', async () => {
    const { bench, enter } = await startDesk(browser);
    const [ann, bob] = [await enter('ann'), await enter('bob')];
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bob.open('maria');
    await bob.reply('Hello from Bob');
    await ann.open('maria');
    await ann.log.locator('.from-agent').getByText('Bob').first().waitFor();
    await ann.page.getByRole('banner').getByText('Ann', { exact: true }).waitFor();
  });
});
