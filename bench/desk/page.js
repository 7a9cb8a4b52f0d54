import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** What an agent does, in the order of the report. */
export const KINDS = /** @type {const} */ ([
  'open a conversation',
  'type',
  'send',
  'filter',
  'search',
  'scroll',
]);

/** @typedef {(typeof KINDS)[number]} Kind */

/**
 * Two durations of an interaction: until the end of the frame that follows the press of a key or button (while scrolling,
 * the longest time between two frames), and until the result is on screen.
 *
 * @typedef {Record<Kind, { reactions: number[], results: number[] }>} Interactions
 */

/**
 * Runs in the page before its own script. Chromium's Event Timing is not used: without a screen, it reports the frames of
 * some keys only when something else is painted.
 */
const OBSERVE = `
  window.bench = {
    kind: null, reactions: [], longTasks: [], result: null, opening: null,
    begin(kind, isDone) {
      Object.assign(this, { kind, opening: null });
      let start = null;
      const onInput = ({ timeStamp }) => { start ??= timeStamp; };
      for (const name of ['click', 'keydown']) addEventListener(name, onInput, { capture: true, once: true });
      this.result = isDone && new Promise((resolve, reject) => {
        setTimeout(reject, 60_000, new Error('There was no result within a minute: ' + kind));
        const look = (frame) => (start !== null && isDone() ? resolve(frame - start) : requestAnimationFrame(look));
        requestAnimationFrame(look);
      });
    },
    longestFrame(ms) {
      return new Promise((resolve) => {
        let [first, last, longest] = [performance.now(), performance.now(), 0];
        const look = (frame) => {
          longest = Math.max(longest, frame - last);
          last = frame;
          if (frame - first > ms) resolve(longest);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
    },
    take() {
      const { reactions, longTasks } = this;
      Object.assign(this, { reactions: [], longTasks: [] });
      return { found: reactions, longTasks };
    },
  };
  for (const name of ['click', 'keydown']) {
    addEventListener(name, ({ timeStamp, target }) => {
      const { kind } = bench;
      bench.opening ??= target.closest?.('[data-conversation]')?.querySelector('.who').textContent ?? null;
      requestAnimationFrame(() => {
        // The message arrives after the frame was rendered.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => bench.reactions.push([kind, performance.now() - timeStamp]);
        port2.postMessage(null);
      });
    }, { capture: true, passive: true });
  }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });`;

const TEXT = 'Hello, let me look';

/**
 * Opens the desk in a browser as an agent who works. Resolves to `null` where Chromium is not installed.
 *
 * @param {string} desk
 * @param {string} cookie
 */
export async function openDeskPage(desk, cookie) {
  if (!existsSync(CHROMIUM)) return null;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
  });
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const { hostname } = new URL(desk);
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    { name, value, domain: hostname, path: '/desk', sameSite: 'Strict' },
    { name: 'agent', value: 'a0', domain: hostname, path: '/desk' },
  ]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(OBSERVE);
  const cdp = await context.newCDPSession(page);
  let opened = 0;
  let replies = 0;
  /** @type {Map<Kind, number[]>} */
  const results = new Map();
  /** @type {Map<Kind, number[]>} */
  const frames = new Map();
  const add = (/** @type {Map<Kind, number[]>} */ map, /** @type {Kind} */ kind, /** @type {number} */ ms) =>
    map.set(kind, [...(map.get(kind) ?? []), ms]);

  /**
   * @param {Kind} kind
   * @param {string | null} isDone an expression: whether the result is on screen
   * @param {() => Promise<void>} act
   */
  const interact = async (kind, isDone, act) => {
    const condition = isDone === null ? 'null' : `() => ${isDone}`;
    await page.evaluate(`bench.begin(${JSON.stringify(kind)}, ${condition})`);
    await act();
    if (isDone !== null) add(results, kind, await page.evaluate('bench.result'));
    await page.waitForTimeout(100);
  };
  const shows = (/** @type {string} */ selector) =>
    `document.querySelector(${JSON.stringify(selector)}) !== null`;
  const view = (/** @type {number} */ nth) => page.locator('.views button').nth(nth);
  const list = page.locator('.inbox');

  const actions = {
    /** Opens a conversation that is on screen. */
    async open() {
      const item = page.locator('.group.waiting [data-conversation]').nth(opened++ % 6);
      const isShown = `bench.opening !== null && document.querySelector('.conversation-header h2')?.textContent === bench.opening && ${shows('[role=log]')}`;
      await item.scrollIntoViewIfNeeded();
      await interact('open a conversation', isShown, async () => {
        // A press at the place: live updates may move the item while Playwright waits for it to be stable. The one that is
        // there then is opened.
        do {
          const box = await item.boundingBox();
          await page.mouse.click((box?.x ?? 0) + 60, (box?.y ?? 0) + 10);
        } while ((await page.evaluate('bench.opening')) === null);
      });
    },
    async type() {
      await page.locator('.composer textarea').focus();
      await interact('type', null, () => page.keyboard.type(TEXT, { delay: 30 }));
    },
    async send() {
      replies += 1;
      await page.locator('.composer textarea').fill(`Reply ${replies}.`);
      const isShown = `document.querySelector('[role=log]')?.textContent.includes('Reply ${replies}.')`;
      await interact('send', isShown, () => page.locator('.composer button.primary').click());
    },
    async filter() {
      await interact('filter', `!(${shows('.group.waiting')})`, () => view(1).click());
      await interact('filter', shows('.group.waiting'), () => view(0).click());
    },
    async search() {
      const field = page.locator('input[type=search]');
      await field.focus();
      const text = `customer-${Math.floor(Math.random() * 100)}`;
      await interact('search', shows('.found [data-conversation]'), () =>
        page.keyboard.type(text, { delay: 30 }),
      );
      await field.fill('');
      await page.locator('.views').waitFor();
    },
    async scroll() {
      const box = await list.boundingBox();
      await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 400);
      await page.evaluate('bench.begin("scroll", null)');
      const longest = page.evaluate('bench.longestFrame(1000)');
      for (let turn = 0; turn < 10; turn += 1) {
        await page.mouse.wheel(0, turn < 5 ? 800 : -800);
        await page.waitForTimeout(80);
      }
      add(frames, 'scroll', /** @type {number} */ (await longest));
      await list.evaluate((/** @type {Element} */ element) => element.scrollTo(0, 0));
    },
  };

  return {
    /** Loads the page anew. Resolves to the time until the list is on screen. @returns {Promise<number>} */
    async load() {
      await page.goto(`${desk}/`);
      await page.reload();
      await page.waitForSelector('[data-conversation]');
      return page.evaluate('new Promise((done) => requestAnimationFrame(() => done(performance.now())))');
    },
    /** Does everything once. */
    async work() {
      await actions.open();
      await actions.type();
      await actions.send();
      await actions.filter();
      await actions.search();
      await actions.scroll();
    },
    /** The interactions since the last call. */
    async takeInteractions() {
      const { found, longTasks } = /** @type {{ found: [Kind, number][], longTasks: number[] }} */ (
        await page.evaluate('bench.take()')
      );
      const interactions = /** @type {Interactions} */ ({});
      for (const kind of KINDS) {
        const reactions = found.filter(([of]) => of === kind).map(([, ms]) => ms);
        interactions[kind] = {
          reactions: frames.get(kind) ?? reactions,
          results: results.get(kind) ?? [],
        };
      }
      results.clear();
      frames.clear();
      return { interactions, longTasks };
    },
    /** The size of the page's heap after a garbage collection, in MB. */
    async heapMb() {
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      return usedSize / 2 ** 20;
    },
    close: () => browser.close(),
  };
}
