import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { PATIENCE_MS, startDesk } from './desk-rig.js';

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

const focused = (page: Page) =>
  page.evaluate<string>('(document.activeElement?.textContent || document.activeElement?.tagName) ?? ""');

/** Presses the Tab key until something with these words has the focus. */
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

  it('leads from the list to the end of a conversation', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
    const { page, complaints } = ann;
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
    await ann.hears('Ann claimed it');

    await press('n');
    // Letters that are shortcuts are letters where somebody writes.
    await page.keyboard.type('jack/n?');
    await press('Control+Enter');
    await ann.log.locator('.note').getByText('jack/n?').waitFor();
    await press('Escape');
    await press('r');
    await page.keyboard.type('Hello, dear customer');
    await press('Control+Enter');
    await ann.sees('agent', 'Hello, dear customer');
    expect((await first.nextReply({ timeoutMs: PATIENCE_MS })).text).toBe('Hello, dear customer');
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
    // Under the sheet nothing moves.
    await press('j');
    await press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'first' }).waitFor();

    await tabTo(page, 'Close');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Back where it was, not lost.
    expect(await focused(page)).toBe('Close');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await focused(page)).toBe('Cancel');
    await tabTo(page, 'Close');
    await press('Enter');
    await ann.hears('Ann closed it');
    await expect.poll(() => first.endedBy, { timeout: PATIENCE_MS / 2 }).toBe('human');
    expect(complaints).toEqual([]);
  });
});
