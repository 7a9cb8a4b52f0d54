import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { agentAt, chooseInMenu } from './agent-page.js';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const MARIA = 'maria.lopez';
const JOHN = 'john.smith';

/** Whether an element is in the visible part of its conversation. */
const isInView = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => {
    const pane = node.closest('.talk')?.getBoundingClientRect();
    const { top, bottom } = node.getBoundingClientRect();
    return pane !== undefined && top >= pane.top && bottom <= pane.bottom + 1;
  });

describeInBrowser('live updates at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('are announced without moving the focus', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.press('Reply');
    await ann.page.keyboard.type('I am wri');
    const john = await bench.requestHandoff({ user: { userId: JOHN } });
    await ann.notice.getByText(`New conversation: ${JOHN}`).waitFor();
    await john.say('Is anybody there?');
    await ann.notice.getByText(`New message from ${JOHN}`).waitFor();
    await ann.page.keyboard.type('ting this.');
    expect(await ann.field.inputValue()).toBe('I am writing this.');
    expect(await ann.page.title()).toBe('(2) Desk');
    // Messages of the open conversation are not announced.
    await maria.say('Hello?');
    await ann.sees('customer', 'Hello?');
    expect(await ann.notice.textContent()).not.toContain(MARIA);
    expect(ann.consoleErrors).toEqual([]);
  });

  it('reach more tabs than a browser opens connections', async () => {
    const { bench, logInAs, url } = await startDesk(browser);
    const ann = await logInAs('ann');
    const tabs = [agentAt(ann.page)];
    while (tabs.length < 8) {
      const tab = agentAt(await ann.context.newPage());
      await tab.page.goto(url);
      await tab.inbox.waitFor();
      tabs.push(tab);
    }
    await bench.requestHandoff({ user: { userId: MARIA } });
    for (const tab of tabs) await tab.itemIn('waiting', MARIA).waitFor();
    // The tab that has the stream is closed; another one continues without a gap.
    await ann.page.close();
    const others = tabs.slice(1);
    await bench.requestHandoff({ user: { userId: JOHN } });
    for (const tab of others) await tab.itemIn('waiting', JOHN).waitFor();
    await others.at(-1)?.open(JOHN);
    await others.at(-1)?.press('Claim');
    for (const tab of others.slice(0, -1)) await tab.itemIn('active', JOHN).waitFor();
  });

  it('keep the end in view when the window becomes smaller', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    for (let index = 0; index < 30; index += 1) await maria.say(`message ${index}`);
    await ann.sees('customer', 'message 29');
    await ann.page.setViewportSize({ width: 1_200, height: 420 });
    await maria.say('the last one');
    const last = ann.log.getByText('the last one', { exact: true });
    await last.waitFor();
    await vi.waitFor(async () => expect(await isInView(last)).toBe(true), { timeout: 10_000 });
  });

  it('show new messages below, and count as unread until they are seen', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    for (let index = 0; index < 30; index += 1) await maria.say(`message ${index}`);
    await ann.sees('customer', 'message 29');
    await ann.item(MARIA).getByText('unread').waitFor({ state: 'detached' });
    await ann.page.locator('.talk').evaluate((element) => element.scrollTo(0, 0));
    await maria.say('unseen');
    const pill = ann.page.getByRole('button', { name: 'New messages' });
    await pill.waitFor();
    await ann.item(MARIA).getByText('1 unread').waitFor();
    await pill.click();
    await pill.waitFor({ state: 'detached' });
    await ann.item(MARIA).getByText('unread').waitFor({ state: 'detached' });
    expect(await isInView(ann.log.getByText('unseen', { exact: true }))).toBe(true);
  });

  it('can be muted, across reloads', async () => {
    const { logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const sounds = (checked: boolean) => ann.page.getByRole('menuitemcheckbox', { name: 'Sounds', checked });
    await ann.press('Account: Ann');
    await sounds(true).click();
    await ann.page.reload();
    await ann.press('Account: Ann');
    await sounds(false).waitFor();
  });

  it('have no gap and no repeat after the network was down', async () => {
    const { bench, logInAs, dropConnections } = await startDesk(browser);
    const ann = await logInAs('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await maria.say('one');
    await ann.sees('customer', 'one');
    await ann.context.setOffline(true);
    dropConnections();
    const lost = ann.page.getByText('Connection lost');
    await lost.waitFor();
    await maria.say('two');
    await maria.say('three');
    await bench.requestHandoff({ user: { userId: JOHN } });
    await ann.context.setOffline(false);
    await ann.sees('customer', 'three');
    await lost.waitFor({ state: 'detached' });
    await maria.say('four');
    await ann.sees('customer', 'four');
    await ann.itemIn('waiting', JOHN).waitFor();
    expect(await ann.said()).toEqual(['one', 'two', 'three', 'four']);

    // The same when the server drops the connections, several times.
    for (const text of ['five', 'six', 'seven']) {
      dropConnections();
      await maria.say(text);
      await ann.sees('customer', text);
    }
    expect(await ann.said()).toEqual(['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    expect(await ann.item(JOHN).count()).toBe(1);
  });

  it('are kept that arrive while a conversation is loading', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await maria.say('one');
    await ann.item(MARIA).getByText('one').waitFor();
    // The answer is delayed until an update arrived that it does not have.
    await ann.page.route(/\/api\/conversations\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      await maria.say('two');
      await ann.item(MARIA).getByText('two').waitFor();
      await route.fulfill({ response });
    });
    await ann.open(MARIA);
    await ann.sees('customer', 'two');
    expect(await ann.said()).toEqual(['one', 'two']);
  });

  it('count the unread messages of each agent', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const [ann, bob] = [await logInAs('ann'), await logInAs('bob')];
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await maria.say('one');
    await maria.say('two');
    for (const agent of [ann, bob]) await agent.item(MARIA).getByText('2 unread').waitFor();
    await ann.open(MARIA);
    await ann.item(MARIA).getByText('unread').waitFor({ state: 'detached' });
    await maria.say('three');
    await bob.item(MARIA).getByText('3 unread').waitFor();
    await ann.sees('customer', 'three');
    await ann.item(MARIA).getByText('unread').waitFor({ state: 'detached' });
  });

  it('are announced beside the list, which stays free', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    for (const userId of [MARIA, JOHN]) await bench.requestHandoff({ user: { userId } });
    const notice = ann.notice.getByText('New conversation').first();
    await notice.waitFor();
    await notice.hover();
    const boxOf = async (selector: string) =>
      (await ann.page.locator(selector).boundingBox()) ?? { y: -1, height: 0 };
    await vi.waitFor(
      async () => {
        const list = await boxOf('.inbox');
        expect(list.y + list.height).toBeLessThanOrEqual((await boxOf('.notice > p')).y);
      },
      { timeout: 10_000 },
    );
  });

  it('can be searched by id, e-mail and phone', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA, email: 'maria@example.com' } });
    await bench.requestHandoff({ user: { userId: JOHN, phone: '+49 30 123456' } });
    await ann.item(JOHN).waitFor();
    const search = ann.page.getByRole('searchbox');
    await search.fill('maria@');
    await ann.item(JOHN).waitFor({ state: 'detached' });
    expect(await ann.item(MARIA).count()).toBe(1);
    await search.fill('123456');
    await ann.item(MARIA).waitFor({ state: 'detached' });
    expect(await ann.item(JOHN).count()).toBe(1);
    await search.fill('no such customer');
    await ann.inbox.getByText('Nothing found.').waitFor();
    await search.fill('');
    await ann.itemIn('waiting', MARIA).waitFor();
  });

  it('lead to the login when the session ended in another tab', async () => {
    const { url, logInAs, dropConnections } = await startDesk(browser);
    const ann = await logInAs('ann');
    const other = await ann.context.newPage();
    await other.goto(url);
    await chooseInMenu(other, 'Sign out');
    await other.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
    dropConnections();
    await ann.page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
  });
});
