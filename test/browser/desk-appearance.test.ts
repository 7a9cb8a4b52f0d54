import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestBench } from '../../src/testing/index.js';
import { chooseInMenu } from './agent-page.js';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { overflowing } from './overflow.js';
import { takeScreenshot } from './screenshots.js';
import { openWindow, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(20);
const HEBREW = 'שלום, איפה החבילה שלי?';
const PHONE = { width: 360, height: 740 };

const TRANSCRIPT = [
  { text: 'Where is my parcel?', message_type: 'QUESTION' },
  { text: 'I can look that up. What is the number of your order?', message_type: 'ANSWER' },
  { text: '100042', message_type: 'QUESTION' },
  { text: 'It left our warehouse on Monday. More I do not know.', message_type: 'ANSWER' },
  { text: 'I want to talk to a human.', message_type: 'QUESTION' },
];

const WAITING = { 'visitor-7f3a': 'Can I change my address?', 'ben.ito': 'Do you ship to Norway?' };

/** Opens conversations: one to answer, two that wait, one that the customer closed. */
async function fill(bench: TestBench) {
  bench.clock.advance(Date.now() - bench.clock.now());
  const gone = await bench.requestHandoff({ user: { userId: 'kim.lee' } });
  await gone.say('Never mind, I found it.');
  await gone.closeByUser();
  const maria = await bench.requestHandoff({
    user: { userId: 'maria.lopez', email: 'maria@example.com' },
    transcript: TRANSCRIPT,
  });
  await maria.say('Hello? My parcel is three days late.');
  for (const [userId, text] of Object.entries(WAITING)) {
    await bench.requestHandoff({ user: { userId } });
    await bench.say(text);
  }
  return { maria };
}

/** Opens every dialog of a conversation, one after the other. */
async function eachDialog(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  const dialog = page.locator('dialog[open]');
  const shut = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  const { buttons, canned } = {
    buttons: ['.foot button', '.conversation-header .actions > button'],
    canned: '.modes .menu > button',
  };
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('?');
  await dialog.waitFor();
  await look('preferences and shortcuts');
  await shut();
  for (const button of buttons) {
    await page.locator(button).first().click();
    await dialog.waitFor();
    await look(button);
    await shut();
  }
  await page.locator(canned).click();
  await look('the menu of canned replies');
  await page.getByRole('menuitem').last().click();
  await dialog.waitFor();
  await look(canned);
  await shut();
}

describeInBrowser('the appearance of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible, ${colorScheme}`, async () => {
      const { url, bench, logInAs } = await startDesk(browser);
      const { page: login } = await openWindow(browser, url, { colorScheme });
      await login.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await axeViolations(login)).toEqual([]);
      await login.close();

      const { maria } = await fill(bench);
      const ann = await logInAs('ann', { colorScheme });
      await ann.item('visitor-7f3a').getByText('1 unread').waitFor();
      expect(await axeViolations(ann.page)).toEqual([]);
      await ann.open('maria.lopez');
      await ann.reply('Hello Maria, I am looking into it.');
      await ann.delivery('Hello Maria, I am looking into it.', 'sent');
      await ann.note('Order 100042 is stuck in Lyon since Tuesday.');
      await ann.log.getByText('stuck in Lyon').waitFor();
      await maria.say('Thank you!');
      await ann.sees('customer', 'Thank you!');
      expect(await axeViolations(ann.page)).toEqual([]);
      await ann.press('Reply');
      expect(await axeViolations(ann.page)).toEqual([]);
      if (colorScheme === 'light') {
        await ann.notice.locator('p').waitFor({ state: 'detached' });
        await takeScreenshot(ann.page, 'desk-conversation');
      }
      await eachDialog(ann.page, async (name) => {
        expect(await axeViolations(ann.page), name).toEqual([]);
      });
      await ann.page.getByRole('link', { name: 'Dashboard' }).click();
      await ann.page.getByText('No failed deliveries.').waitFor();
      expect(await axeViolations(ann.page)).toEqual([]);
      await ann.page.getByRole('link', { name: 'Conversations' }).click();
      await maria.say('One more question: can I pick it up myself?');
      await ann.item('maria.lopez').getByText('1 unread').waitFor();
      await ann.notice.getByText('New message from maria.lopez').waitFor();
      expect(await axeViolations(ann.page)).toEqual([]);
      if (colorScheme === 'light') await takeScreenshot(ann.page, 'desk-inbox');
      expect(ann.consoleErrors).toEqual([]);
    });
  }

  it('fits a phone, whatever the text', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann', { viewport: PHONE });
    const { page } = ann;
    const customer = await bench.requestHandoff({
      user: { userId: LONG, email: `${LONG}@example.com` },
      transcript: [{ text: LONG, message_type: 'QUESTION' }],
    });
    await customer.say(LONG);
    await customer.say(HEBREW);
    await ann.item(LONG).getByText('2 unread').waitFor();
    expect(await overflowing(page)).toEqual([]);
    await ann.open(LONG);
    await ann.reply(LONG);
    await ann.delivery(LONG, 'sent');
    await ann.note(LONG);
    await ann.log.locator('.note').waitFor();
    await page.getByText('About the customer').click();
    expect(await overflowing(page)).toEqual([]);
    await page.getByText('About the customer').click();
    // The composer stays visible, and right-to-left text is shown as such.
    const box = await ann.field.boundingBox();
    expect((box?.y ?? PHONE.height) + (box?.height ?? 0)).toBeLessThan(PHONE.height);
    const directions = `[...document.querySelectorAll('.from-customer p')].map((line) => getComputedStyle(line).direction)`;
    expect(await page.evaluate(directions)).toEqual(['ltr', 'rtl']);
    await ann.press('Back to the list');
    await ann.item(LONG).waitFor();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByText('No failed deliveries.').waitFor();
    expect(await overflowing(page)).toEqual([]);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await overflowing(page)).toEqual([]);
  });

  it('follows the language of the browser, and can be switched', async () => {
    const { url, bench, logInAs } = await startDesk(browser);
    const { page: login } = await openWindow(browser, url, { locale: 'zh-CN' });
    await login.getByRole('heading', { name: '登录客服台' }).waitFor();
    await login.getByLabel('登录名').fill('ann');
    await login.getByLabel('密码').fill('wrong password');
    await login.getByRole('button', { name: '登录' }).click();
    await login.getByRole('alert').getByText('登录名或密码错误。').waitFor();
    expect(await axeViolations(login)).toEqual([]);

    await bench.requestHandoff({ user: { userId: 'maria.lopez' } });
    const { page } = await logInAs('ann');
    await chooseInMenu(page, '简体中文');
    await page.getByRole('heading', { name: '等待中' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-Hans');
    expect(await page.title()).toBe('(1) 客服台');
    await page.getByRole('link').filter({ hasText: 'maria.lopez' }).click();
    await page.getByRole('button', { name: '接手' }).click();
    await page.getByText('Ann 接手了会话').waitFor();
    await page.reload();
    await page.getByText('Ann 接手了会话').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await chooseInMenu(page, 'English');
    await page.getByText('Ann claimed this conversation').waitFor();
  });
});
