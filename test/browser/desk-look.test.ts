import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** The buttons, links and fields on screen that are smaller than a finger needs. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, a[href], select, textarea, input, summary')]
  .filter((element) => element.checkVisibility() && !element.matches('.skip'))
  .map((element) => ({ element, box: element.getBoundingClientRect() }))
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
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await ann.open('maria');
    await ann.reply('Hello!');
    await ann.delivery('Hello!', 'sent');
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
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
