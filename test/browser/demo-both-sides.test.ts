import type { Browser, BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { runNode } from '../standalone/program.js';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { overflowing } from './overflow.js';
import { takeScreenshot } from './screenshots.js';
import { openWindow, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const DESKTOP = { width: 1_280, height: 720 };
const PHONE = { width: 360, height: 740 };

/** Starts `handoff-kit demo` and opens the address that it prints. */
async function openTour(browser: Browser, options: BrowserContextOptions = {}) {
  const program = runNode(['dist/cli/main.js', 'demo']);
  const [, address = ''] = await program.until(/Open (http:\/\/127\.0\.0\.1:\d+) in a browser/);
  const window = await openWindow(browser, address, {
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    ...options,
  });
  return { ...window, ...tourAt(window.page), address, program };
}

/** The customer's chat, the desk and the guide of an open page. */
function tourAt(page: Page) {
  const chat = page.locator('#customer');
  const desk = page.frameLocator('#desk');
  const ask = page.getByLabel('Message of the customer');
  const { width = 0, height = 0 } = page.viewportSize() ?? {};

  /** Waits until this action is marked as the next one, and no other; it can be seen as a whole. */
  const nextAction = async (name: string | RegExp): Promise<Locator> => {
    const marked = await eventually(async () => {
      const locators = page.frames().map((frame) => frame.locator('[data-next]'));
      const texts = await Promise.all(locators.map((locator) => locator.allInnerTexts()));
      expect(texts.flat()).toEqual([expect.stringMatching(name)]);
      const found = locators.find((_locator, index) => texts[index]?.length === 1);
      if (!found) throw new Error('nothing is marked');
      return found;
    });
    const { x, y, ...size } = await boxOf(marked);
    expect([x >= 0, y >= 0, x + size.width <= width, y + size.height <= height]).not.toContain(false);
    return marked;
  };

  return {
    chat,
    desk,
    nextAction,
    /** Does the next action, and waits until it is no longer the next one: another may have the same name. */
    async pressNext(name: string | RegExp) {
      const element = await (await nextAction(name)).elementHandle();
      await element?.click();
      await eventually(async () => {
        const isMarked = element?.evaluate((node) => node.isConnected && node.hasAttribute('data-next'));
        // Its frame may be gone.
        expect(await isMarked?.catch(() => false)).toBe(false);
      });
    },
    async say(text: string) {
      await ask.fill(text);
      await ask.press('Enter');
    },
    customerSees: (text: string) => chat.getByRole('log').getByText(text).waitFor(),
    async answer(text: string, at: FrameLocator = desk) {
      await at.locator('.composer textarea').fill(text);
      await at.getByRole('button', { name: 'Send' }).click();
    },
    /** Waits for the instruction of a step. */
    told: (text: string) => page.locator('#step').getByText(text).waitFor(),
    request: (meaning: string) => page.locator('#exchanges li').filter({ hasText: meaning }).first(),
  };
}

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('it is not shown');
  return box;
}

const VISITOR = /^\w+\s+Visitor/;

/** The actions of the tour, in order. On a phone, the way to the other part of the page is an action as well. */
const ACTIONS = {
  desktop: [/^Ask for a human$/, VISITOR, /^Send$/, /^Send$/, /^Send$/, /^Close the chat$/, /^Start again$/],
  phone: [
    /^Ask for a human$/,
    /^Desk$/,
    VISITOR,
    /^Send$/,
    /^Customer$/,
    /^Send$/,
    /^Desk$/,
    /^Send$/,
    /^Customer$/,
    /^Close the chat$/,
    /^Start again$/,
  ],
};

describeInBrowser('the tour of the demo', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  describe.each([
    { ...DESKTOP, actions: ACTIONS.desktop },
    { width: 1_440, height: 900, actions: ACTIONS.desktop },
    { ...PHONE, actions: ACTIONS.phone },
  ])('at $width × $height', ({ actions, ...viewport }) => {
    it('is clicked through by the one marked action, which is always in view', async () => {
      const tour = await openTour(browser, { viewport });
      const { page } = tour;
      for (const action of actions) {
        await tour.pressNext(action);
        for (const frame of page.frames()) expect(await overflowing(frame), frame.url()).toEqual([]);
      }
      await tour.nextAction(/^Ask for a human$/);
      expect(await page.locator('#exchanges .bad').count()).toBe(0);
      const { foreignRequests, consoleErrors } = tour;
      expect({ foreignRequests, consoleErrors }).toEqual({ foreignRequests: [], consoleErrors: [] });
    });
  });

  it.each([DESKTOP, PHONE])('is accessible in both colour schemes at $width × $height', async (viewport) => {
    const tour = await openTour(browser, { viewport });
    const { page } = tour;
    await tour.pressNext(/^Ask for a human$/);
    const request = tour.request('The platform asks for a human');
    await request.getByText('Accepted: 200').waitFor({ state: 'attached' });
    expect(await axeViolations(page)).toEqual([]);
    if (viewport.width < 900) await page.getByRole('button', { name: 'Requests' }).click();
    await request.click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page), colorScheme).toEqual([]);
    }
  });

  it('says what to do, and proposes what to say, until the conversation ends', async () => {
    const tour = await openTour(browser, { deviceScaleFactor: 2 });
    await tour.customerSees('Two days. Ask for a human if your parcel is late.');
    await tour.told('On the left, ask for a human.');
    await tour.pressNext('Ask for a human');
    await tour.told('At the desk, open the conversation.');
    await tour.pressNext(VISITOR);
    await tour.told('At the desk, answer as an agent.');
    await tour.nextAction('Send');
    await tour.answer('Hello, this is Kim. What happened?');
    await tour.customerSees('Hello, this is Kim. What happened?');
    await tour.told('On the left, write back.');
    await tour.pressNext('Send');
    await tour.told('At the desk, answer again.');
    await tour.desk.getByRole('log').getByText('My parcel is late. Where is it?').waitFor();
    await tour.desk.locator('[data-state=sent]').waitFor();
    await tour.nextAction('Send');
    await takeScreenshot(tour.page, 'demo');
    await tour.page.emulateMedia({ colorScheme: 'dark' });
    await takeScreenshot(tour.page, 'demo-dark');
    await tour.pressNext('Send');
    await tour.customerSees('It is in Lyon, and arrives tomorrow.');
    await tour.told('On the left, close the chat.');
    await tour.pressNext('Close the chat');
    await tour.told('Done: a whole handoff.');
    await tour.desk.getByRole('log').getByText('The customer left').waitFor();
  });

  it('plays itself', async () => {
    const tour = await openTour(browser);
    await tour.page.getByRole('button', { name: 'Play it for me' }).click();
    await tour.told('Done: a whole handoff.');
    await tour.customerSees('It is in Lyon, and arrives tomorrow.');
    await tour.request('The customer closed the chat').waitFor();
    expect(await tour.page.locator('#exchanges .bad').count()).toBe(0);
    await tour.page.getByRole('button', { name: 'Play it for me' }).waitFor();
  });

  it('plays itself on a phone, and stops when it is told to', async () => {
    const tour = await openTour(browser, { viewport: PHONE });
    await tour.page.getByRole('button', { name: 'Play it for me' }).click();
    await tour.told('Below, answer as an agent.');
    await tour.page.getByRole('button', { name: 'Stop' }).click();
    await tour.page.getByRole('button', { name: 'Play it for me' }).click();
    await tour.told('Done: a whole handoff.');
  });

  it('plays once, however often it was stopped and started', async () => {
    const tour = await openTour(browser);
    const page = tour.page;
    await page.evaluate(`window.presses = 0;
      document.querySelector('#ask').addEventListener('click', () => (window.presses += 1))`);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    for (const name of ['Play it for me', 'Stop', 'Play it for me', 'Stop', 'Play it for me']) {
      await page.getByRole('button', { name }).click();
    }
    await page.clock.runFor(3_000);
    expect(await page.evaluate('window.presses')).toBe(1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Play it for me' }).waitFor();
  });

  it('shows what each request means, and its body on a click', async () => {
    const tour = await openTour(browser);
    await tour.pressNext('Ask for a human');
    const request = tour.request('The platform asks for a human');
    await request.getByText('Accepted: 200').waitFor();
    expect(await request.locator('code').innerText()).toBe('POST /webhook/…/conversation/establish');
    expect(await request.locator('pre').first().isVisible()).toBe(false);
    await request.click();
    expect(await request.locator('pre').first().innerText()).toMatch(/^\{\n {2}"conversation_id": "/);
    expect(await request.locator('pre').last().innerText()).toContain('"message": "success"');
    // The newest request is first, and one that was opened stays open.
    await tour.say('<b>Hello</b>');
    await tour.page
      .locator('#exchanges li:first-child')
      .getByText('The customer writes to the agent')
      .waitFor();
    expect(await request.locator('pre').first().isVisible()).toBe(true);
    expect(await tour.page.locator('#lines b').count()).toBe(0);
  });

  it('opens again by the same link, in another tab and in another browser', async () => {
    const tour = await openTour(browser);
    await tour.desk.locator('.inbox').waitFor();
    const tab = await tour.context.newPage();
    await tab.goto(tour.address);
    await tab.frameLocator('#desk').locator('.inbox').waitFor();
    const other = await openWindow(browser, tour.address, { viewport: DESKTOP });
    await other.page.frameLocator('#desk').locator('.inbox').waitFor();
    // The first one is still logged in.
    await tour.page.bringToFront();
    await tour.pressNext('Ask for a human');
    await tour.pressNext(VISITOR);
    await tour.pressNext('Send');
    await tour.customerSees('Hello! What can I do for you?');
    await tour.page.reload();
    await tour.desk.locator('.inbox').waitFor();
  });

  it('keeps what the desk stores, and shows the desk without its own bars', async () => {
    const tour = await openTour(browser);
    await tour.desk.locator('.inbox').waitFor();
    await tour.page.locator('#desk.ready').waitFor();
    expect(await tour.desk.getByText('Nothing is stored').count()).toBe(0);
    expect(await tour.desk.locator('.top-bar').isVisible()).toBe(false);
    const [whole] = await Promise.all([
      tour.context.waitForEvent('page'),
      tour.page.getByRole('link', { name: 'Open in a tab' }).click(),
    ]);
    await whole.getByRole('link', { name: 'Dashboard' }).waitFor();
  });

  it('says what to do when the demo was stopped', async () => {
    const tour = await openTour(browser);
    await tour.nextAction('Ask for a human');
    tour.program.signal('SIGTERM');
    expect(await tour.program.ended).toBe(0);
    await tour.page.getByRole('alert').getByText('start it again: npx handoff-kit demo').waitFor();
  });

  it('shows a close by the desk, and a bot that was taught', async () => {
    const tour = await openTour(browser);
    const { desk } = tour;
    await tour.nextAction('Ask for a human');
    await tour.say('Where is my parcel?');
    await tour.customerSees('I only know what was added to my knowledge');
    await tour.pressNext('Ask for a human');
    await tour.pressNext(VISITOR);
    await tour.answer('It is in Lyon.');
    await tour.customerSees('It is in Lyon.');
    await desk.getByRole('button', { name: 'Teach the bot' }).click();
    await desk.getByRole('button', { name: 'Teach', exact: true }).click();
    await tour.request('The desk teaches the bot an answer').getByText('Accepted: 200').waitFor();
    await desk.getByRole('button', { name: 'Close', exact: true }).click();
    await desk.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await tour.chat.getByText('Closed by the agent').waitFor();
    await tour.request('The agent closes the chat').waitFor();
    await tour.pressNext('Start again');
    await tour.nextAction('Ask for a human');
    await tour.say('Where is my parcel?');
    await tour.customerSees('It is in Lyon.');
  });

  it('has a colleague, to whom a conversation can be transferred', async () => {
    const tour = await openTour(browser);
    const { page, desk } = tour;
    await tour.pressNext('Ask for a human');
    await tour.pressNext(VISITOR);
    await desk.getByRole('button', { name: 'Claim' }).click();
    await page.getByRole('button', { name: 'Ann, a colleague' }).click();
    const colleague = page.frameLocator('#colleague');
    await colleague.locator('[data-conversation]').click();
    await page.getByRole('button', { name: 'You', exact: true }).click();
    await desk.getByText('Ann is viewing', { exact: true }).waitFor();
    await desk.getByRole('button', { name: 'More actions' }).click();
    await desk.getByRole('menuitem', { name: 'Transfer to…' }).click();
    await desk.getByRole('dialog').getByRole('button', { name: 'Transfer' }).click();
    await desk.getByText('You transferred this conversation to Ann').waitFor();
    await page.getByRole('button', { name: 'Ann, a colleague' }).click();
    await tour.answer('Hello from Ann.', colleague);
    await tour.customerSees('Hello from Ann.');
  });
});
