import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runNode } from '../standalone/program.js';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { overflowing } from './overflow.js';
import { takeScreenshot } from './screenshots.js';
import { openWindow, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

/** Starts `handoff-kit demo` and opens the address that it prints. */
async function openBothSides(browser: Browser, viewport = { width: 1_120, height: 700 }) {
  const demo = runNode(['dist/cli/main.js', 'demo']);
  const [, address = ''] = await demo.until(/Open (http:\/\/127\.0\.0\.1:\d+\/\?token=\S+) in a browser/);
  const window = await openWindow(browser, address, { viewport });
  return { ...window, ...sidesOf(window.page), address };
}

/** The customer's chat on the left and the desk on the right. */
function sidesOf(page: Page) {
  const left = page.frameLocator('#customer');
  const right = page.frameLocator('#desk');
  const ask = left.getByLabel('Your message');
  return {
    left,
    right,
    async say(text: string) {
      await ask.fill(text);
      await ask.press('Enter');
    },
    askForHuman: () => left.getByRole('button', { name: 'Ask for a human' }).click(),
    customerSees: (text: string) => left.getByRole('log').getByText(text).waitFor(),
    async answer(text: string) {
      await right.locator('.composer textarea').fill(text);
      await right.getByRole('button', { name: 'Send' }).click();
    },
    /** Waits for the instruction of the next step. */
    nextStep: (text: string) => page.locator('#step').getByText(text).waitFor(),
    seesExchange: (text: string) => page.locator('#exchanges').getByText(text).first().waitFor(),
  };
}

describeInBrowser('both sides of the demo on one page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('guide the user to a finished conversation and an AI that knows the answer', async () => {
    const demo = await openBothSides(browser);
    const { page, left, right } = demo;
    await demo.nextStep('Begin on the left: write something.');
    // The token works once and is gone from the address.
    expect(new URL(page.url()).search).toBe('');
    await demo.say('Where is my parcel?');
    await demo.customerSees('I only know what was added to my knowledge');
    await demo.nextStep('Now ask for a human on the left.');
    await demo.seesExchange('The bot answers, and your receiver gets the message.');
    await demo.askForHuman();
    await demo.nextStep('It waits on the right: choose it, read what was said, and answer.');
    await demo.seesExchange('The platform asks your receiver for an agent');
    await right.locator('[data-conversation]').click();
    await right.locator('.transcript .from-user').getByText('Where is my parcel?').waitFor();
    await demo.answer('It is in Lyon, and comes tomorrow.');
    await demo.customerSees('It is in Lyon, and comes tomorrow.');
    await demo.nextStep('The customer sees it. Write on, or close from either side.');
    await right.locator('[data-state=sent]').waitFor();
    await right.getByRole('status').locator('p').waitFor({ state: 'detached' });
    await left.locator('body').evaluate('scrollTo(0, 0)');
    await takeScreenshot(page, 'demo');

    await right.getByRole('button', { name: 'Teach the bot' }).click();
    await right.getByRole('button', { name: 'Teach', exact: true }).click();
    await demo.nextStep('Ask the same on the left: the bot knows it now.');
    await left.getByRole('button', { name: 'Close' }).click();
    await demo.nextStep('Done: a whole handoff.');
    await right.getByRole('log').getByText('The customer left').waitFor();
    await left.getByRole('button', { name: 'New customer' }).click();
    await demo.say('Where is my parcel?');
    await demo.customerSees('It is in Lyon, and comes tomorrow.');
    expect(await page.locator('#exchanges .bad').count()).toBe(0);
    const { foreignRequests, consoleErrors } = demo;
    expect({ foreignRequests, consoleErrors }).toEqual({ foreignRequests: [], consoleErrors: [] });
  });

  it('show a close by the desk', async () => {
    const demo = await openBothSides(browser);
    await demo.askForHuman();
    await demo.right.locator('[data-conversation]').click();
    await demo.answer('Goodbye.');
    await demo.customerSees('Goodbye.');
    await demo.right.getByRole('button', { name: 'Close', exact: true }).click();
    await demo.right.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await demo.left.getByText('The agent closed the conversation').waitFor();
    await demo.nextStep('Done: a whole handoff.');
  });

  it('have a colleague, to whom a conversation can be transferred', async () => {
    const demo = await openBothSides(browser);
    const { page, right } = demo;
    await demo.askForHuman();
    await right.locator('[data-conversation]').click();
    await right.getByRole('button', { name: 'Claim' }).click();
    await page.getByRole('button', { name: 'Ann, your colleague' }).click();
    const colleague = page.frameLocator('#colleague');
    await colleague.locator('[data-conversation]').click();
    await page.getByRole('button', { name: 'You', exact: true }).click();
    await right.getByText('Ann is viewing', { exact: true }).waitFor();
    await right.getByRole('button', { name: 'Transfer to…' }).click();
    await right.getByRole('menuitem', { name: 'Ann' }).click();
    await right.getByRole('dialog').getByRole('button', { name: 'Transfer' }).click();
    await right.getByText('You transferred this conversation to Ann').waitFor();
    await page.getByRole('button', { name: 'Ann, your colleague' }).click();
    await colleague.locator('.composer textarea').fill('Hello from Ann.');
    await colleague.getByRole('button', { name: 'Send' }).click();
    await demo.customerSees('Hello from Ann.');
  });

  it('fit a phone, are accessible, and accept the login link once', async () => {
    const demo = await openBothSides(browser, { width: 360, height: 740 });
    await demo.right.locator('.inbox').waitFor();
    await demo.nextStep('A customer is above, the desk where you answer below.');
    for (const frame of demo.page.frames()) expect(await overflowing(frame), frame.url()).toEqual([]);
    expect(await axeViolations(demo.page)).toEqual([]);
    const { page } = await openWindow(browser, demo.address);
    await page.frameLocator('#desk').getByRole('heading', { name: 'Log in to the desk' }).waitFor();
  });
});
