import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.js';
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

  it('shows which conversation of the list has the focus', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann', { reducedMotion: 'reduce' });
    await bench.requestHandoff({ user: { userId: 'maria' } });
    const item = page.locator('.item');
    const { x, y, width } = (await item.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    // The middle of its upper edge.
    const clip = { x: x + width / 2, y, width: 20, height: 3 };
    const before = await page.screenshot({ clip });
    await page.keyboard.press('Tab');
    await item.focus();
    expect((await page.screenshot({ clip })).equals(before)).toBe(false);
  });

  it('chooses from menus, where arrows only move', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page } = ann;
    const press = (key: string) => page.keyboard.press(key);
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await ann.press('Claim');
    // The button is gone; the agent continues in the text field.
    await vi.waitFor(async () => expect(await focused(page)).toBe('TEXTAREA'), { timeout: 10_000 });
    const more = page.getByRole('button', { name: 'More actions' });
    await more.focus();
    await press('ArrowDown');
    await vi.waitFor(async () => expect(await focused(page)).toBe('Transfer to…'), { timeout: 10_000 });
    await press('ArrowDown');
    expect(await focused(page)).toBe('Release');
    await press('Escape');
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('More actions');
    await press('Enter');
    await vi.waitFor(async () => expect(await focused(page)).toBe('Transfer to…'), { timeout: 10_000 });
    await press('Enter');
    await page.getByRole('dialog', { name: 'Transfer this conversation' }).waitFor();
    await press('Escape');
    expect(await ann.inbox.locator('.mine').getByText('maria').count()).toBe(1);
    await page.getByRole('button', { name: 'Canned replies' }).focus();
    await press('ArrowDown');
    await vi.waitFor(async () => expect(await focused(page)).toBe('Hello'), { timeout: 10_000 });
    await press('ArrowDown');
    expect(await focused(page)).toBe('One moment');
    expect(await ann.field.inputValue()).toBe('');
    await press('Enter');
    expect(await ann.field.inputValue()).toBe('One moment please, I am looking into it.');
    expect(await ann.log.getByText('transferred this conversation to').count()).toBe(0);
  });

  it('moves the focus along with j and k, under one heading of the first level', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    for (const userId of ['maria', 'john']) await bench.requestHandoff({ user: { userId } });
    await ann.item('john').waitFor();
    for (const [key, who] of [
      ['j', 'maria'],
      ['j', 'john'],
      ['k', 'maria'],
    ] as const) {
      await ann.page.keyboard.press(key);
      await ann.page.getByRole('heading', { name: who }).waitFor();
      expect(await focused(ann.page)).toContain(who);
    }
    expect(await ann.page.locator('h1').count()).toBe(1);
    await ann.page.setViewportSize({ width: 390, height: 700 });
    await ann.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await ann.page.getByRole('navigation', { name: 'Views' }).count()).toBe(0);
  });

  it('can do without single-key shortcuts', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page } = ann;
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.itemIn('waiting', 'maria').waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await page.getByLabel('Use single keys as shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.reload();
    await ann.itemIn('waiting', 'maria').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByText('One conversation is waiting').count()).toBe(1);
  });

  it('finds actions, views and conversations in the palette', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page } = ann;
    for (const userId of ['maria', 'john']) await bench.requestHandoff({ user: { userId } });
    await ann.open('maria');
    const choose = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find an action' }).fill(text);
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await choose('clai');
    await ann.seesEvent('Ann claimed this conversation');
    await choose('relea');
    await ann.seesEvent('Ann released this conversation');
    await choose('john');
    await page.getByRole('heading', { name: 'john' }).waitFor();
    await choose('unassigned');
    await page.getByRole('button', { name: 'Unassigned', pressed: true }).waitFor();
  });

  it('skips the list', async () => {
    const { logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the conversation');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
  });

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
    await ann.seesEvent('Ann claimed this conversation');

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
    const sheet = page.getByRole('dialog', { name: 'Preferences and shortcuts' });
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
    await ann.seesEvent('Ann closed this conversation');
    await expect.poll(() => first.endedBy, { timeout: TIMEOUT_MS / 2 }).toBe('agent');
    expect(consoleErrors).toEqual([]);
  });
});
