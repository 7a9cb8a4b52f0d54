import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AgentWindow } from './agent-page.js';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const viewButton = ({ page }: AgentWindow, name: string | RegExp) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name });

describeInBrowser('colleagues', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('get conversations as a team, in a view of their own', async () => {
    const { url, bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await ann.page.goto(`${url}#/settings/teams`);
    await ann.press('Add a team');
    await ann.page.getByLabel('Name of the team').fill('Returns');
    await ann.page.getByLabel('Bob').check();
    await ann.press('Save');
    await ann.page.getByText('Saved.').waitFor();
    await ann.page.goto(`${url}#/`);
    const bob = await logInAs('bob');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.requestHandoff({ user: { userId: 'john' } });
    await ann.open('maria');
    await ann.press('Claim');
    await ann.transferTo('Team: Returns');
    await ann.seesEvent('Ann transferred this conversation to Returns');
    await viewButton(bob, 'My teams 1').click();
    await bob.item('john').waitFor({ state: 'detached' });
    await bob.item('maria').getByText('Returns').waitFor();
    await bob.open('maria');
    await bob.press('Claim');
    await bob.seesEvent('Bob claimed this conversation');
    await bob.inbox.locator('.teams').getByText('maria').waitFor();
    // Ann is in no team.
    expect(await viewButton(ann, 'My teams').count()).toBe(0);
    expect([...ann.consoleErrors, ...bob.consoleErrors]).toEqual([]);
  });

  it('are mentioned in notes, with a notice and a view until they have read it', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const bob = await logInAs('bob');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.requestHandoff({ user: { userId: 'john' } });
    await bob.open('john');
    await ann.open('maria');
    await ann.press('Note');
    await ann.field.pressSequentially('Please look, @b');
    await ann.page.getByRole('option', { name: 'Bob' }).waitFor();
    await ann.page.keyboard.press('Enter');
    expect(await ann.field.inputValue()).toBe('Please look, @Bob ');
    await ann.press('Add note');
    await bob.notice.getByText('You were mentioned in the conversation with maria').waitFor();
    await viewButton(bob, 'Mentions 1').click();
    await bob.item('john').waitFor({ state: 'detached' });
    await bob.item('maria').getByText('mentions you').waitFor({ state: 'attached' });
    await bob.open('maria');
    await bob.log.locator('.mentions-me').getByText('Please look, @Bob').waitFor();
    await viewButton(bob, /^Mentions$/).waitFor();
    await bob.item('maria').getByText('mentions you').waitFor({ state: 'detached' });
    // Read, it stays listed, and a reload does not count it again.
    await bob.page.reload();
    await viewButton(bob, /^Mentions$/).click();
    await bob.item('maria').waitFor();
    expect(await viewButton(ann, 'Mentions').count()).toBe(0);
    expect([...ann.consoleErrors, ...bob.consoleErrors]).toEqual([]);
  });
});
