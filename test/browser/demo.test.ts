import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, launch, openDemo } from './chromium.js';
import { customerAt } from './customer-page.js';
import { overflowing } from './overflow.js';

const QUESTION = 'How long does delivery take?';
const COMPLAINT = 'My parcel is late. Where is it?';
const DESKTOP = { width: 1_200, height: 720 };
const PHONE = { width: 360, height: 740 };

/** Presses the Tab key until a button or a field has the focus. */
async function tabTo(page: Page, id: string): Promise<void> {
  const focused = () => page.evaluate<string>('document.activeElement?.id ?? ""');
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused()) === id) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key does not reach ${id}`);
}

describeInBrowser('the demo in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('shows a whole handoff, from the first question to the close', async () => {
    const { page, foreignRequests, consoleErrors } = await openDemo(browser, DESKTOP);
    const customer = customerAt(page);
    await customer.say(QUESTION);
    await customer.sees('bot', 'Two days.');
    await customer.press('Ask for a human');
    await customer.sees('agent', 'I stand in for a human and answer automatically');
    await customer.status('Connected with an agent');
    await customer.say(COMPLAINT);
    await customer.sees('agent', `Thank you! You wrote: "${COMPLAINT}" (automatic answer)`);
    const requests = ['→ message', '← reply', '→ chat', '→ message', '← reply', '→ establish', '→ message'];
    expect(await customer.requests(7)).toEqual(requests);
    await customer.press('Close');
    await customer.status('You left the agent');
    expect(await customer.requests(8)).toEqual(['→ close', ...requests]);
    expect(await page.locator('#exchanges .outcome[data-good="no"]').count()).toBe(0);
    expect({ foreignRequests, consoleErrors }).toEqual({ foreignRequests: [], consoleErrors: [] });
  });

  it('lets the agent close', async () => {
    const { page } = await openDemo(browser, DESKTOP);
    const customer = customerAt(page);
    await customer.press('Ask for a human');
    await customer.status('Connected with an agent');
    await customer.say('Goodbye');
    await customer.sees('agent', 'I close the conversation now');
    await customer.status('The agent closed the conversation');
    expect(await customer.requests(7)).toContain('← close');
  });

  it('works with the keyboard alone', async () => {
    const { page, consoleErrors } = await openDemo(browser, DESKTOP);
    const customer = customerAt(page);
    await tabTo(page, 'text');
    await page.keyboard.type(QUESTION);
    await page.keyboard.press('Enter');
    await customer.sees('bot', 'Two days.');
    await tabTo(page, 'ask');
    await page.keyboard.press('Space');
    await customer.status('Connected with an agent');
    // The pressed button becomes disabled, which must not lose the focus.
    expect(await page.evaluate<string>('document.activeElement?.id ?? ""')).toBe('text');
    await page.keyboard.type('One line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('and another');
    await page.keyboard.press('Enter');
    await customer.sees('agent', 'and another');
    await tabTo(page, 'leave');
    await page.keyboard.press('Enter');
    await customer.status('You left the agent');
    expect(consoleErrors).toEqual([]);
  });

  it('fits a phone, whatever the text', async () => {
    const { page } = await openDemo(browser, PHONE);
    const customer = customerAt(page);
    expect(await overflowing(page)).toEqual([]);
    await customer.press('Ask for a human');
    await customer.status('Connected with an agent');
    await customer.say('Donaudampfschifffahrt'.repeat(20));
    await customer.sees('agent', 'Donaudampfschifffahrt');
    await customer.requests(6);
    await page.getByText('Faults').click();
    for (const exchange of await page.locator('#exchanges summary').all()) await exchange.click();
    expect(await page.locator('#exchanges details[open]').count()).toBe(6);
    expect(await overflowing(page)).toEqual([]);
  });

  it('shows markup as text', async () => {
    const { page, foreignRequests, consoleErrors } = await openDemo(browser, DESKTOP);
    const customer = customerAt(page);
    const markup = '<img src="/x" onerror="hacked=1"><script>hacked=1</script><b>bold</b>';
    await customer.say(markup);
    await customer.sees('user', markup);
    await customer.press('Ask for a human');
    await customer.status('Connected with an agent');
    await customer.say(markup);
    await customer.sees('agent', `Thank you! You wrote: "${markup}" (automatic answer)`);
    await customer.requests(7);
    expect(await page.locator('#exchanges pre').first().textContent()).toContain('<script>hacked=1</script>');
    expect(await page.locator('main').locator('img, script, b').count()).toBe(0);
    expect(await page.evaluate<string>('typeof hacked')).toBe('undefined');
    expect({ foreignRequests, consoleErrors }).toEqual({ foreignRequests: [], consoleErrors: [] });
  });
});
