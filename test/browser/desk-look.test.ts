import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { inEachLanguage } from './every-look.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** The buttons, links and fields on screen that are smaller than a finger needs. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, a[href], select, textarea, input, summary')]
  .filter((element) => element.checkVisibility() && !element.matches('.skip'))
  .map((element) => ({ element, box: (element.closest('label') ?? element).getBoundingClientRect() }))
  .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 44))
  .map(({ element, box }) => element.outerHTML.slice(0, 80) + ' ' + box.width + 'x' + box.height)`;

const isOver = async (above: Locator, below: Locator): Promise<boolean> => {
  const [a, b] = [await above.boundingBox(), await below.boundingBox()];
  if (!a || !b) return false;
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
};

describeInBrowser('the look of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('shortens ids that no person can read, and keeps the whole id at hand', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const anonymousId = 'anonymous-9ac3725d-3427-4149-8005-08690c8bd1d6';
    await bench.requestHandoff({ user: { anonymousId } });
    await ann.open('Visitor 9ac372');
    expect(await ann.page.getByRole('heading', { name: 'Visitor 9ac372' }).getAttribute('title')).toBe(
      anonymousId,
    );
    await ann.page.getByText(anonymousId, { exact: true }).waitFor();
    await ann.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await ann.press('Copy: Anonymous id');
    await ann.notice.getByText('Copied.').waitFor();
    expect(await ann.page.evaluate('navigator.clipboard.readText()')).toBe(anonymousId);
  });

  it('has the customer, the next action and a menu in one row, on a phone too', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann', PHONE);
    await bench.requestHandoff({ user: { userId: 'a.customer.with.quite.a.long.name' } });
    await ann.open('a.customer.with.quite.a.long.name');
    await ann.press('Claim');
    await ann.page.getByRole('button', { name: 'Close', exact: true }).waitFor();
    const header = ann.page.locator('.conversation-header');
    const middles = await header
      .locator('> .title, .back button, .actions button')
      .evaluateAll((parts) =>
        parts
          .map((part) => part.getBoundingClientRect())
          .map(({ top, height }) => Math.round(top + height / 2)),
      );
    expect(middles).toEqual(Array(4).fill(middles[0]));
    expect(await header.locator('.primary').allTextContents()).toEqual(['Close']);
  });

  it('has a text field that grows with its text', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    const heightOf = async (text: string) => {
      await ann.field.fill(text);
      return (await ann.field.boundingBox())?.height ?? 0;
    };
    const one = await heightOf('One line');
    expect(await heightOf('Line\n'.repeat(8))).toBeGreaterThan(one);
    expect(await heightOf('')).toBe(one);
  });

  it('has the chat with the bot in one line, once the customer and the agent talk', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const transcript = [{ text: 'Where is my parcel?', message_type: 'QUESTION' }];
    const maria = await bench.requestHandoff({ user: { userId: 'maria' }, transcript });
    await ann.open('maria');
    const question = ann.page.locator('.transcript').getByText('Where is my parcel?');
    await question.waitFor();
    await maria.say('Hello?');
    await ann.sees('customer', 'Hello?');
    // It stays open for the agent who reads it.
    expect(await question.isVisible()).toBe(true);
    await ann.page.reload();
    await ann.sees('customer', 'Hello?');
    expect(await question.isVisible()).toBe(false);
    await ann.page.getByText('Chat with the bot · 1 message').click();
    await question.waitFor();
  });

  it('shows notices beside the header and the text field; a click leads to the conversation', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await bench.requestHandoff({ user: { userId: 'john' } });
    const link = ann.notice.getByRole('link', { name: 'New conversation: john' });
    // The pointer holds it, however slow the machine is.
    await link.hover();
    for (const part of ['.top-bar', '.conversation-header', '.composer'])
      expect(await isOver(ann.notice, ann.page.locator(part)), part).toBe(false);
    await link.click();
    await ann.page.getByRole('heading', { name: 'john' }).waitFor();
    await link.waitFor({ state: 'detached' });
  });

  it('has targets of 44 px on a phone', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann', PHONE);
    const { page } = ann;
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.item('maria').waitFor();
    await ann.press('Select');
    await ann.press('Account: Ann');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await page.keyboard.press('Escape');
    await ann.open('maria');
    await ann.reply('Hello!');
    await ann.delivery('Hello!', 'sent');
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
  });

  it('has one row at the top of a phone, which leaves the height to the list', async () => {
    const { url, bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann', PHONE);
    const { page } = ann;
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await inEachLanguage(page, async (language) => {
      await page.goto(`${url}#/`);
      await page.locator('.item').waitFor();
      const { height = 0, y = -1 } = (await page.locator('.top-bar').boundingBox()) ?? {};
      expect(y, language).toBe(0);
      expect(height, language).toBeGreaterThan(0);
      expect(height, language).toBeLessThan(0.15 * PHONE.viewport.height);
      const controls = await page
        .locator('.top-bar :is(a, button)')
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().top));
      expect(controls.length, language).toBe(5);
      expect(new Set(controls).size, language).toBe(1);
    });
  });

  it('has the views on one line, or in one column beside the list', async () => {
    const { bench, desk, logInAs } = await startDesk(browser);
    const value = [{ id: 'returns', name: 'Returns', members: ['ann'] }];
    await desk.store.write({ put: [{ kind: 'settings', id: 'teams', value, version: 0 }] });
    const ann = await logInAs('ann');
    const { page } = ann;
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.item('maria').waitFor();
    const places = (side: 'x' | 'y') =>
      page
        .locator('.views button')
        .evaluateAll(
          (all, name) => [...new Set(all.map((each) => each.getBoundingClientRect()[name]))],
          side,
        );
    for (const width of [360, 768, 1_200]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await places('y'), `${width} px`).toHaveLength(1);
    }
    await page.setViewportSize({ width: 1_440, height: 740 });
    expect(await places('x')).toHaveLength(1);
    expect(await places('y')).toHaveLength(5);
  });

  it('has a clock in the list that says when it is late', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page } = ann;
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.item('maria').waitFor();
    const start = Date.now();
    await page.clock.setFixedTime(start);
    await page.reload();
    const clock = ann.item('maria').locator('.clock');
    await clock.waitFor();
    expect(await clock.getAttribute('title')).toMatch(/^\d+ s left to answer$/);
    expect(await clock.getAttribute('class')).not.toContain('late');
    await page.clock.setFixedTime(start + 35_000);
    await ann.item('maria').locator('.clock.late').waitFor();
    await page.clock.setFixedTime(start + 50_000);
    await ann.item('maria').locator('.clock.very-late').waitFor();
    await page.clock.setFixedTime(start + 61_000);
    await ann.item('maria').getByText('the time to answer is up').waitFor();
  });

  it('shows what is next while no conversation is open', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { page } = ann;
    const next = page.locator('.next-up');
    await next.getByText('All caught up').waitFor();
    for (const userId of ['maria', 'john']) await bench.requestHandoff({ user: { userId } });
    await next.getByText('2 conversations are waiting').waitFor();
    await next.getByText(/^Longest wait: maria, /).waitFor();
    await ann.press('Open the next one');
    await page.getByRole('heading', { name: 'maria' }).waitFor();
    await ann.press('Claim');
    await page.getByRole('link', { name: 'Conversations' }).click();
    await next.getByText('One conversation is waiting').waitFor();
    await ann.press('Open the next one');
    await page.getByRole('heading', { name: 'john' }).waitFor();
  });

  it('follows a link that is clicked as soon as the page is there', async () => {
    const { logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann');
    await page.addInitScript(`
      const observer = new MutationObserver(() => {
        if (!document.querySelector('.inbox')) return;
        observer.disconnect();
        location.hash = '#/settings';
      });
      observer.observe(document, { subtree: true, childList: true });
    `);
    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('has the theme that the agent chooses, also at the sign-in', async () => {
    const { logInAs } = await startDesk(browser);
    const ann = await logInAs('ann', { colorScheme: 'light' });
    const { page } = ann;
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await ann.choose('Dark');
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await ann.inbox.waitFor();
    expect(await background()).toBe(dark);
    await ann.choose('Sign out');
    await page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
    expect(await background()).toBe(dark);
  });

  it('says while the platform takes no replies', async () => {
    const { bench, logInAs } = await startDesk(browser, { outbox: { minDelayMs: 50, maxDelayMs: 200 } });
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('Hello!');
    const banner = ann.page.getByText('The platform is not accepting replies. Waiting: 1.');
    await banner.waitFor();
    bench.faults.clear('answerError');
    await ann.delivery('Hello!', 'sent');
    await banner.waitFor({ state: 'detached' });
  });
});
