import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Records the browser's own Event Timing: from a key press to the next frame. */
const OBSERVE = `
  window.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) window.interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

/**
 * Opens the desk in a browser as an agent who reads and types. Resolves to `null` where Chromium is not installed.
 *
 * @param {string} desk
 * @param {string} cookie
 */
export async function openDeskPage(desk, cookie) {
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
    /** Opens the next conversation and types a draft. */
    async typeDraft() {
      await page.keyboard.press('j');
      await page.waitForTimeout(300);
      await page.keyboard.press('r');
      for (const key of 'Hello') await page.keyboard.press(key);
      await page.keyboard.press('Escape');
      presses += 8;
    },
    /** @returns {Promise<{ presses: number, durations: number[], heapMb: number }>} */
    async measure() {
      const durations = /** @type {number[]} */ (await page.evaluate('window.interactions'));
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      return { presses, durations, heapMb: usedSize / 2 ** 20 };
    },
    close: () => browser.close(),
  };
}
