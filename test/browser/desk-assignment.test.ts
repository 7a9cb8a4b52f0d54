import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('assignment rules', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('are set by an administrator, and give conversations to agents who are not away', async () => {
    const { url, bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const bob = await logInAs('bob');
    const { page } = ann;
    await page.goto(`${url}#/settings/assignment`);
    await page.getByLabel('go to the available agents in turn').check();
    await page.getByLabel(/^Maximum conversations per agent/).fill('1');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('bot, by name or bot id').fill('other');
    await page.getByLabel('Team or agent').selectOption('Agent: Bob');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    expect(await page.getByLabel('go to the available agents in turn').isChecked()).toBe(true);
    expect(await page.getByLabel(/^Maximum conversations per agent/).inputValue()).toBe('1');
    expect(await page.getByLabel('Team or agent').inputValue()).toBe('agent bob');

    await ann.press('Available');
    await page.getByRole('button', { name: 'Away', exact: true }).waitFor();
    await page.goto(`${url}#/`);
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    await bob.notice.getByText('The conversation with maria was assigned to you').waitFor();
    await bob.inbox.locator('.mine .item.unread').getByText('New', { exact: true }).waitFor();
    await bob.open('maria');
    await bob.seesEvent('Assigned to Bob');
    await bob.reply('Hello');
    expect((await maria.nextReply()).text).toBe('Hello');
    await bob.inbox.locator('.mine .new').waitFor({ state: 'detached' });

    // Bob has as many as he may have, and Ann is away.
    await bench.requestHandoff({ user: { userId: 'john' } });
    await ann.itemIn('waiting', 'john').waitFor();
    await ann.press('Away');
    await ann.inbox.locator('.mine').getByText('john').waitFor();
    await bob.more('Transfer to…');
    const receivers = () => bob.page.getByRole('dialog').locator('option').allTextContents();
    await expect.poll(receivers).toEqual(['Ann']);
    await ann.press('Available');
    await expect.poll(receivers, { timeout: 20_000 }).toEqual(['Ann (away)']);
    // Nobody has answered John yet.
    await ann.itemIn('waiting', 'john').waitFor();
    expect([...ann.consoleErrors, ...bob.consoleErrors]).toEqual([]);
  });
});
