import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('writing at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('finds canned replies behind a slash, with the keyboard alone', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await ann.field.pressSequentially('Yes. /look');
    const option = ann.page.getByRole('option', { name: 'One moment' });
    await option.waitFor();
    expect(await ann.field.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
    await ann.page.keyboard.press('Enter');
    expect(await ann.field.inputValue()).toBe('Yes. One moment please, I am looking into it.');
    // Variables are filled in; Escape leaves what was typed.
    await ann.field.fill('/');
    await ann.page.locator('.suggestions').waitFor();
    await ann.page.keyboard.press('Escape');
    await ann.page.locator('.suggestions').waitFor({ state: 'detached' });
    expect(await ann.field.inputValue()).toBe('/');
    await ann.field.fill('/hello');
    await ann.page.getByRole('option', { name: 'Hello' }).click();
    expect(await ann.field.inputValue()).toBe('Hello, this is Ann. How can I help you?');
  });

  it('sends with Enter and waits for an undo, if the agent wants that', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page, field } = ann;
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.requestHandoff({ user: { userId: 'john' } });
    await ann.open('maria');
    await field.fill('One');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('One\n');
    await ann.choose('Preferences and shortcuts');
    await page.getByLabel('Enter sends a reply').check();
    await page.getByLabel('Wait five seconds before sending a reply').check();
    await page.keyboard.press('Escape');
    await field.fill('Wrong');
    await field.press('Enter');
    await ann.press('Undo');
    await vi.waitFor(async () => expect(await field.inputValue()).toBe('Wrong'), { timeout: TIMEOUT_MS / 2 });
    await field.fill('Right');
    await field.press('Enter');
    // Leaving the conversation does not hold it back.
    await ann.open('john');
    expect((await maria.nextReply()).text).toBe('Right');
    expect(maria.replies).toHaveLength(1);
  });

  it('offers a taught answer that fits the last question', async () => {
    const { bench, desk, logInAs } = await startDesk(browser);
    const pairs = [{ question: 'How long does delivery take?', answer: 'Two days.' }];
    await desk.store.write({
      put: [{ kind: 'settings', id: 'taught', value: { document: null, pairs }, version: 0 }],
    });
    const ann = await logInAs('ann');
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    await maria.say('Hi, how long does the delivery to Norway take?');
    await ann.open('maria');
    await ann.press('How long does delivery take?');
    expect(await ann.field.inputValue()).toBe('Two days.');
    await ann.field.fill('');
    await maria.say('And what about a refund?');
    await ann.sees('customer', 'And what about a refund?');
    await ann.page.locator('.answers').waitFor({ state: 'detached' });
  });

  it('shows who else looks at a conversation and writes', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const bob = await logInAs('bob');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await bob.open('maria');
    await ann.page.getByText('Bob is viewing').waitFor();
    await bob.page.getByText('Ann is viewing').waitFor();
    await bob.field.pressSequentially('Hello');
    await ann.page.getByText('Bob is typing…').waitFor();
    await bob.page.getByRole('link', { name: 'Dashboard' }).click();
    await ann.page.getByText(/Bob is/).waitFor({ state: 'detached' });
  });

  it('marks the icon of the tab while somebody waits', async () => {
    const { bench, logInAs, url } = await startDesk(browser);
    const ann = await logInAs('ann');
    const icon = ann.page.locator('link[rel=icon]');
    expect(await icon.getAttribute('href')).toBe('./icon.svg');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.item('maria').waitFor();
    await ann.page.locator('link[rel=icon][href="./icon-alert.svg"]').waitFor({ state: 'attached' });
    expect((await fetch(`${url}icon-alert.svg`)).status).toBe(200);
  });
});
