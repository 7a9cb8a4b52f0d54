import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const focused = (page: Page) =>
  page.evaluate<string>('(document.activeElement?.textContent || document.activeElement?.tagName) ?? ""');

/** Presses the Tab key until the element with this text has the focus. */
async function tabTo(page: Page, words: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === words) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key does not reach "${words}"`);
}

describeInBrowser('the desk with the keyboard alone', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('works from the inbox to the close of a conversation', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page, consoleErrors } = ann;
    const press = (key: string) => page.keyboard.press(key);
    const first = await bench.requestHandoff({ user: { userId: 'first' } });
    await bench.requestHandoff({ user: { userId: 'second' } });
    await ann.itemIn('waiting', 'second').waitFor();
    await page.evaluate('document.activeElement.blur()');

    await press('j');
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await press('j');
    await page.getByRole('heading', { name: 'second' }).waitFor();
    await press('k');
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await page.locator('[data-key=claim]').waitFor();
    await press('c');
    await ann.seesEvent('Ann claimed it');

    await press('n');
    // Shortcuts do not apply in text fields.
    await page.keyboard.type('jack/n?');
    await press('Control+Enter');
    await ann.log.locator('.note').getByText('jack/n?').waitFor();
    await press('Escape');
    await press('r');
    await page.keyboard.type('Hello, dear customer');
    await press('Control+Enter');
    await ann.sees('agent', 'Hello, dear customer');
    expect((await first.nextReply({ timeoutMs: TIMEOUT_MS })).text).toBe('Hello, dear customer');
    await press('Escape');

    await press('/');
    await page.keyboard.type('second');
    await ann.item('first').waitFor({ state: 'detached' });
    await press('Escape');
    await page.getByRole('searchbox').fill('');
    await page.evaluate('document.activeElement.blur()');

    await press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard' });
    await sheet.getByText('next conversation', { exact: true }).waitFor();
    // Shortcuts do not apply while a dialog is open.
    await press('j');
    await press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'first' }).waitFor();

    await tabTo(page, 'Close');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The focus returns to the button.
    expect(await focused(page)).toBe('Close');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await focused(page)).toBe('Cancel');
    await tabTo(page, 'Close');
    await press('Enter');
    await ann.seesEvent('Ann closed it');
    await expect.poll(() => first.endedBy, { timeout: TIMEOUT_MS / 2 }).toBe('human');
    expect(consoleErrors).toEqual([]);
  });
});
