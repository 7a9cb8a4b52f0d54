import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** How long each interaction took, as the browser itself measured it: from the key to the next frame. */
const OBSERVE = `
  window.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) window.interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

/**
 * Opens the desk in a browser and works in it, as an agent who reads and writes. `null` where there is no browser.
 *
 * @param {string} desk
 * @param {string} cookie
 */
export async function workInPage(desk, cookie) {
  if (!existsSync(CHROMIUM)) return null;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const context = await browser.newContext({ viewport: { width: 1_200, height: 800 } });
  const { hostname } = new URL(desk);
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    { name, value, domain: hostname, path: '/desk', sameSite: 'Strict' },
    { name: 'agent', value: 'a0', domain: hostname, path: '/desk' },
  ]);
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  await page.goto(`${desk}/`);
  await page.waitForSelector('[data-conversation]', { timeout: 60_000 });
  const cdp = await context.newCDPSession(page);
  let presses = 0;

  return {
    /** The next conversation, and a few words of an answer. */
    async work() {
      await page.keyboard.press('j');
      await page.waitForTimeout(300);
      await page.keyboard.press('r');
      for (const key of 'Hello') await page.keyboard.press(key);
      await page.keyboard.press('Escape');
      presses += 8;
    },
    /** @returns {Promise<{ presses: number, durations: number[], heapMb: number }>} */
    async measured() {
      const durations = /** @type {number[]} */ (await page.evaluate('window.interactions'));
      // What nobody holds any more does not count.
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      return { presses, durations, heapMb: usedSize / 2 ** 20 };
    },
    close: () => browser.close(),
  };
}
