import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chooseInMenu } from './agent-page.js';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { logIn, openWindow, PASSWORD, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('the login of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('accepts the right password, survives a reload, and signs out', async () => {
    const { url } = await startDesk(browser);
    const { page, consoleErrors } = await openWindow(browser, url);
    await page.getByLabel('Login name').fill('ann');
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The login name or password is wrong.').waitFor();
    expect(await page.title()).toBe('Sign in to the desk');
    // The browser itself logs the 401.
    expect(consoleErrors.filter((line) => !line.includes('401'))).toEqual([]);

    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account: Ann' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Account: Ann' }).waitFor();
    await chooseInMenu(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
  });

  it('shows the wait after too many failures', async () => {
    const { url } = await startDesk(browser);
    const { page } = await openWindow(browser, url);
    // Waits grow with every failure, so that even on a slow machine one attempt comes too early.
    for (let tries = 0; tries < 15; tries += 1) {
      const answered = page.waitForResponse(/\/login$/);
      await logIn(page, 'ann', `wrong ${tries}`);
      if ((await answered).status() === 429) break;
      await page.locator('button:enabled').waitFor();
    }
    await page
      .getByRole('alert')
      .getByText(/^Too many attempts\. Wait \d+ seconds\.$/)
      .waitFor();
  });

  it('is left to the host application, if there is one', async () => {
    let isLoggedIn = false;
    const host = () => (isLoggedIn ? { id: 'ann', name: 'Ann' } : null);
    const { url } = await startDesk(browser, { host });
    const { page, consoleErrors } = await openWindow(browser, url);
    await page.getByText('Sign in at the application that this desk is part of').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);

    isLoggedIn = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Account: Ann' }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  it('tells two agents in two browsers apart', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const [ann, bob] = [await logInAs('ann'), await logInAs('bob')];
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bob.open('maria');
    await bob.reply('Hello from Bob');
    await ann.open('maria');
    await ann.log.locator('.from-agent').getByText('Bob').first().waitFor();
    await ann.page.getByRole('button', { name: 'Account: Ann' }).waitFor();
  });
});
