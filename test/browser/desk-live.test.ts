import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { PATIENCE_MS, startDesk } from './desk-rig.js';

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

const MARIA = 'maria.lopez';
const JOHN = 'john.smith';

describeInBrowser('what comes live to the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('announces who comes, and leaves the focus where it is', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
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
    // What is before the agent's eyes is not told beside it as well.
    await maria.say('Hello?');
    await ann.sees('customer', 'Hello?');
    expect(await ann.notice.textContent()).not.toContain(MARIA);
    expect(ann.complaints).toEqual([]);
  });

  it('can be muted, and stays so', async () => {
    const { enter } = await startDesk(browser);
    const ann = await enter('ann');
    const mute = ann.page.getByRole('button', { name: 'Mute sounds' });
    expect(await mute.getAttribute('aria-pressed')).toBe('false');
    await mute.click();
    await ann.page.reload();
    await ann.page.locator('button[aria-pressed=true][aria-label="Mute sounds"]').waitFor();
  });

  it('misses nothing and doubles nothing when the network is gone for a while', async () => {
    const { bench, enter, cut } = await startDesk(browser);
    const ann = await enter('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await maria.say('one');
    await ann.sees('customer', 'one');
    await ann.context.setOffline(true);
    cut();
    const lost = ann.page.getByText('The connection is lost');
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

    // The same when only the server's side breaks off, several times.
    for (const text of ['five', 'six', 'seven']) {
      cut();
      await maria.say(text);
      await ann.sees('customer', text);
    }
    expect(await ann.said()).toEqual(['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    expect(await ann.item(JOHN).count()).toBe(1);
  });

  it('has what came while a conversation was being read', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
    const maria = await bench.requestHandoff({ user: { userId: MARIA } });
    await maria.say('one');
    await ann.item(MARIA).getByText('one').waitFor();
    // The answer is held back until something has come that it does not have.
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

  it('counts what each agent has not read', async () => {
    const { bench, enter } = await startDesk(browser);
    const [ann, bob] = [await enter('ann'), await enter('bob')];
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

  it('finds conversations by what they are known by', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
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
    await search.fill('nobody like that');
    await ann.inbox.getByText('Nothing was found.').waitFor();
    await search.fill('');
    await ann.itemIn('waiting', MARIA).waitFor();
  });

  it('leads to the login when the session has ended elsewhere', async () => {
    const { url, enter, cut } = await startDesk(browser);
    const ann = await enter('ann');
    const other = await ann.context.newPage();
    await other.goto(url);
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByRole('heading', { name: 'Log in to the desk' }).waitFor();
    cut();
    await ann.page.getByRole('heading', { name: 'Log in to the desk' }).waitFor();
  });
});
