import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AgentWindow } from './agent-page.js';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const TRANSCRIPT = [{ text: 'Where is my parcel?', message_type: 'QUESTION' }];

/** Waits until the list shows these customers, in this order. */
const lists = ({ inbox }: AgentWindow, customers: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await inbox.locator('.item .who').allTextContents()).toEqual(customers), {
    timeout: TIMEOUT_MS / 2,
  });

const counts = async ({ page }: AgentWindow): Promise<string[]> => {
  const views = page.getByRole('navigation', { name: 'Views' }).getByRole('button');
  return (await views.allTextContents()).map((text) => text.trim());
};

describeInBrowser('the list of conversations', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('has views with counts, and shows what waiting customers said', async () => {
    const { bench, logInAs } = await startDesk(browser);
    for (const userId of ['maria', 'john', 'kim'])
      await bench.requestHandoff({ user: { userId }, transcript: TRANSCRIPT });
    const ann = await logInAs('ann');
    await ann.item('kim').getByText('Where is my parcel?').waitFor();
    await ann.open('maria');
    await ann.press('Claim');
    await ann.open('john');
    await ann.press('Claim');
    await ann.close();
    await vi.waitFor(
      async () => expect(await counts(ann)).toEqual(['All 2', 'Mine 1', 'Unassigned 1', 'Closed']),
      { timeout: TIMEOUT_MS / 2 },
    );
    await ann.view('Mine');
    await lists(ann, ['maria']);
    await ann.view('Unassigned');
    await lists(ann, ['kim']);
    await ann.view('Closed');
    await lists(ann, ['john']);
  });

  it('finds conversations by what was said in them', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    await maria.say('My parcel is stuck in Lyon.');
    await maria.say('Are you there?');
    await bench.requestHandoff({ user: { userId: 'john' } });
    const ann = await logInAs('ann');
    await ann.page.getByRole('searchbox').fill('STUCK');
    await ann.item('maria').getByText('My parcel is stuck in Lyon.').waitFor();
    await lists(ann, ['maria']);
  });

  it('sorts by priority, filters by tag, and keeps a filter', async () => {
    const { bench, logInAs } = await startDesk(browser);
    for (const userId of ['maria', 'john', 'kim']) await bench.requestHandoff({ user: { userId } });
    const ann = await logInAs('ann');
    const { page } = ann;
    await ann.open('kim');
    await ann.more('Urgent');
    await ann.seesEvent('Ann set the priority to Urgent');
    await lists(ann, ['kim', 'maria', 'john']);
    await ann.open('john');
    await ann.more('Tags');
    await page.getByLabel('New tag').fill('refund');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await ann.seesEvent('Ann changed the tags: +refund');
    await ann.press('Filter');
    await page.getByLabel('Tag', { exact: true }).selectOption('refund');
    await lists(ann, ['john']);
    await ann.press('Save this filter');
    await page.getByLabel('Name of the filter').fill('Refunds');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Refunds', pressed: true }).waitFor();
    await page.reload();
    await ann.item('kim').waitFor();
    await ann.press('Refunds');
    await ann.item('kim').waitFor({ state: 'detached' });
    await lists(ann, ['john']);
    expect(ann.consoleErrors).toEqual([]);
  });

  it('hides a snoozed conversation until the customer writes', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    const ann = await logInAs('ann');
    await ann.open('maria');
    await ann.reply('I ask the warehouse.');
    await ann.delivery('I ask the warehouse.', 'sent');
    await ann.more('For an hour');
    await ann.inbox.locator('.snoozed').getByText('maria').waitFor();
    await maria.say('Any news?');
    await ann.inbox.locator('.mine').getByText('maria').waitFor();
  });

  it('has earlier conversations of a customer beside the current one', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const first = await bench.requestHandoff({ user: { userId: 'maria' } });
    await first.say('My first question.');
    await ann.open('maria');
    await ann.press('Claim');
    await ann.close();
    await ann.seesEvent('Ann closed this conversation');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.item('maria').click();
    await ann.press('Claim');
    await ann.page.locator('.history').getByRole('link', { name: 'My first question.' }).click();
    await ann.sees('customer', 'My first question.');
  });

  it('has links that lead out safely, and code', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    await maria.say('See https://example.com/a?b=1, not javascript:alert(1), and run `npm ci`.');
    const ann = await logInAs('ann');
    await ann.open('maria');
    const link = ann.log.getByRole('link');
    await link.waitFor();
    expect(await link.evaluateAll((all) => all.map((each) => each.outerHTML))).toEqual([
      '<a href="https://example.com/a?b=1" target="_blank" rel="noopener noreferrer nofollow">https://example.com/a?b=1</a>',
    ]);
    expect(await ann.log.locator('code').allTextContents()).toEqual(['npm ci']);
  });
});
