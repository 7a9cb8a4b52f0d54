import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('several conversations', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('are selected and changed at once, and those that fail are named', async () => {
    const { bench, logInAs } = await startDesk(browser);
    for (const userId of ['maria', 'john', 'kim']) await bench.requestHandoff({ user: { userId } });
    const ann = await logInAs('ann');
    const bob = await logInAs('bob');
    const { page } = ann;
    const confirm = async (question: RegExp) => {
      await page.getByRole('dialog', { name: question }).getByRole('button', { name: 'Apply' }).click();
    };
    await ann.item('kim').waitFor();
    await ann.press('Select');
    await ann.press('Select all shown');
    await page.getByText('3 selected', { exact: true }).waitFor();
    await ann.press('Tag…');
    await page.getByLabel('New tag').fill('storm');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await confirm(/storm \(3 selected\)/);
    for (const who of ['maria', 'john', 'kim']) await ann.item(who).getByText('storm').waitFor();

    await bob.open('john');
    await bob.press('Claim');
    await ann.itemIn('active', 'john').waitFor();
    await ann.press('Select all shown');
    await ann.press('Close');
    await confirm(/^Close \(3 selected/);
    const failures = page.getByRole('dialog', { name: /^3 failed/ });
    await failures.getByText('john').waitFor();
    await failures.getByText('Nobody has this conversation.').first().waitFor();
    await failures.getByText('Another agent has this conversation.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await failures.getByRole('button').click();
    // Those that failed are still selected.
    expect(await page.getByLabel('Select john').isChecked()).toBe(true);
    await page.getByLabel('Select john').uncheck();
    await page.locator('.bulk').getByRole('button', { name: 'Claim' }).click();
    await confirm(/^Claim \(2 selected/);
    await ann.inbox.locator('.mine').getByText('maria').waitFor();
    await ann.press('Select all shown');
    await page.getByLabel('Select john').uncheck();
    await page.locator('.bulk').getByRole('button', { name: 'Close' }).click();
    await confirm(/^Close \(2 selected/);
    await ann.item('maria').waitFor({ state: 'detached' });
    await page.getByLabel('Select john').check();
    // The bar stays in view.
    await page.setViewportSize({ width: 1_200, height: 300 });
    await ann.item('john').evaluate((element) => element.scrollIntoView({ block: 'start' }));
    const { y = -1 } = (await page.locator('.bulk').boundingBox()) ?? {};
    const { y: top = 0 } = (await ann.inbox.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(top);
    await page.setViewportSize({ width: 1_200, height: 720 });
    await ann.press('Assign to…');
    await page.getByRole('menuitem', { name: 'Ann' }).click();
    await confirm(/Ann \(1 selected/);
    await ann.inbox.locator('.mine').getByText('john').waitFor();
    // What another view does not show must not stay selected.
    await ann.press('Select all shown');
    await page.getByText('1 selected', { exact: true }).waitFor();
    await ann.view('Unassigned');
    await page.getByText('0 selected', { exact: true }).waitFor();
    expect([...ann.consoleErrors, ...bob.consoleErrors]).toEqual([]);
  });

  it('are selected with the keyboard alone', async () => {
    const { bench, logInAs } = await startDesk(browser);
    for (const userId of ['maria', 'john']) await bench.requestHandoff({ user: { userId } });
    const ann = await logInAs('ann');
    const { page, inbox } = ann;
    await ann.item('john').waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'maria' }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'john' }).waitFor();
    await page.keyboard.press('x');
    await page.getByText('2 selected', { exact: true }).waitFor();
    await page.getByLabel('Select john').focus();
    await page.keyboard.press('Space');
    await page.getByText('1 selected', { exact: true }).waitFor();
    await inbox.getByRole('group').getByRole('button', { name: 'Claim' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).focus();
    await page.keyboard.press('Enter');
    await inbox.locator('.mine').getByText('maria').waitFor();
    await inbox.locator('.waiting').getByText('john').waitFor();
    await inbox.getByRole('button', { name: 'Select all shown' }).focus();
    await page.keyboard.press('Escape');
    await page.getByText(/^\d+ selected$/).waitFor({ state: 'detached' });
  });

  it('that were not acted on stay selected when the connection breaks', async () => {
    const { bench, logInAs } = await startDesk(browser);
    // One more than the page sends at once.
    for (let number = 1; number <= 101; number += 1)
      await bench.requestHandoff({ user: { userId: `user-${number}` } });
    const ann = await logInAs('ann');
    const { page } = ann;
    await ann.view('Unassigned');
    await page.getByRole('button', { name: /Unassigned 101/ }).waitFor();
    let requests = 0;
    await page.route('**/api/bulk', async (route) => {
      requests += 1;
      await (requests === 1 ? route.continue() : route.abort());
    });
    await ann.press('Show more');
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await ann.press('Select');
    await ann.press('Select all shown');
    await page.getByText('101 selected', { exact: true }).waitFor();
    await ann.press('Tag…');
    await page.getByLabel('New tag').fill('storm');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 selected', { exact: true }).waitFor();
    expect(requests).toBe(2);
  });
});
