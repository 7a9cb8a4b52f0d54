import type { Browser, BrowserContext, CDPSession, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startPushService } from '../desk/push-service.js';
import { describeInBrowser, launch } from './chromium.js';
import { openWindow, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

/** The service worker of the desk, as Chromium knows it. */
async function registrationOf(session: CDPSession): Promise<string> {
  const found = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations;
      if (registration) resolve(registration.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  return found;
}

const workerOf = async (context: BrowserContext): Promise<Worker> =>
  context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');

/** The notifications that are shown, as `title: text`. */
const shownBy = (worker: Worker): Promise<string[]> =>
  worker.evaluate(`registration.getNotifications().then((all) =>
    all.map(({ title, body, tag }) => [title, body, tag].join(' | ')))`);

/** Clicks the notification. Only a real click lets a worker open and focus windows, so what it opens is written down. */
const click = (worker: Worker): Promise<string[]> =>
  worker.evaluate(`registration.getNotifications().then(async ([notification]) => {
    const opened = [];
    clients.openWindow = async (url) => void opened.push(url);
    const event = new Event('notificationclick');
    let done;
    event.notification = notification;
    event.waitUntil = (task) => { done = task; };
    dispatchEvent(event);
    await done.catch(() => undefined);
    return opened;
  })`);

describeInBrowser('notifications of a desk whose page is closed', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('are turned on with the switch, shown by the service worker, and open the conversation', async () => {
    const service = await startPushService();
    const { url, bench, desk, logInAs } = await startDesk(browser, { webPush: { allowLoopback: true } });
    const ann = await logInAs('ann', { permissions: ['notifications'] });
    const { page, context } = ann;
    // The push service of Chromium is not reachable: the page gets a subscription of the one of the test.
    await page.evaluate(
      `PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
        globalThis.asked = { userVisibleOnly, applicationServerKey };
        return { toJSON: () => (${JSON.stringify(service.subscribe('ann'))}) };
      }`,
    );
    await ann.choose('System notifications');
    await page.getByText("through your browser's push service").waitFor();
    expect(await page.evaluate('asked.userVisibleOnly')).toBe(true);
    expect(await desk.store.list('push-subscription')).toHaveLength(1);
    const session = await context.newCDPSession(page);
    const registrationId = await registrationOf(session);
    const worker = await workerOf(context);
    const deliver = async (data: string): Promise<void> => {
      const { origin } = new URL(url);
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    };

    // The page is closed: another one of the same origin, which is not the desk, keeps the session of the test.
    const customer = await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await ann.press('Claim');
    await ann.field.waitFor();
    const link = new URL(page.url()).hash;
    await page.goto(`${new URL(url).origin}/elsewhere`);
    await customer.say('My card number is 1234.');
    const [push] = await service.until('ann', 1);
    await deliver(push?.text ?? '');
    await expect
      .poll(() => shownBy(worker), { timeout: TIMEOUT_MS })
      .toEqual([`Desk | New message | ${link}`]);
    expect(await click(worker)).toEqual([`${url}${link}`]);
    expect(await shownBy(worker)).toEqual([]);

    // A page of the desk is open: it goes to the conversation.
    const second = await context.newPage();
    await second.goto(url);
    await second.getByRole('complementary', { name: 'Conversations' }).waitFor();
    await deliver(push?.text ?? '');
    await expect.poll(() => shownBy(worker), { timeout: TIMEOUT_MS }).toHaveLength(1);
    expect(await click(worker)).toEqual([]);
    await second.getByRole('heading', { name: 'maria' }).waitFor();
    expect(new URL(second.url()).hash).toBe(link);
    expect(ann.consoleErrors.filter((text) => !text.includes('404'))).toEqual([]);
  });

  it('do not need the push service: the page shows its own with the service worker', async () => {
    const { url, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann', { permissions: ['notifications'] });
    await ann.choose('System notifications');
    const { page, consoleErrors } = ann;
    await expect
      .poll(
        () => page.evaluate(`navigator.serviceWorker.getRegistration('./').then((found) => found?.scope)`),
        {
          timeout: TIMEOUT_MS,
        },
      )
      .toBe(url);
    expect(consoleErrors).toEqual([]);
  });

  it('have a worker that is served without a session, with the strict policy', async () => {
    const { url } = await startDesk(browser);
    const { page } = await openWindow(browser, url);
    const answer = await page.request.get(`${url}service-worker.js`);
    expect(answer.status()).toBe(200);
    expect(answer.headers()['content-type']).toMatch(/^text\/javascript/);
    expect(answer.headers()['content-security-policy']).toContain("default-src 'none'");
    expect(await answer.text()).not.toMatch(/\b(import|export)\b/);
  });
});
