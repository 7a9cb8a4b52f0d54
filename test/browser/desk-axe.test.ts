import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { overflowing } from './overflow.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: 2 * TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const WIDTHS = [360, 768, 1_440];
const TEAMS = [{ id: 'returns', name: 'Returns', members: ['ann', 'bob'] }];
const VIEWS = ['all', 'mine', 'teams', 'mentions', 'unassigned', 'closed'];

describeInBrowser('every view of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  for (const [locale, colorScheme] of [
    ['en-US', 'light'],
    ['en-US', 'dark'],
    ['zh-CN', 'light'],
    ['zh-CN', 'dark'],
  ] as const) {
    it(`is accessible and fits at ${WIDTHS.join(', ')} px, ${locale}, ${colorScheme}`, async () => {
      const { bench, desk, logInAs, url } = await startDesk(browser);
      await desk.store.write({
        put: [{ kind: 'settings', id: 'teams', value: TEAMS, version: 0 }],
      });
      const ann = await logInAs('ann', { viewport: { width: 1_440, height: 900 } });
      const maria = await bench.requestHandoff({
        user: { userId: 'maria.lopez', email: 'maria@example.com' },
        transcript: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
      });
      await ann.open('maria.lopez');
      await ann.reply('Hello, this is Ann. See https://example.com and `npm ci`.');
      await bench.nextReply();
      await ann.note('Order 100042 is stuck in Lyon.');
      await maria.say('שלום, goodbye?');
      await ann.sees('customer', 'שלום, goodbye?');
      await ann.press('Tags');
      await ann.page.getByLabel('New tag').fill('refund');
      await ann.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await ann.press('Priority: Normal');
      await ann.page.getByRole('menuitem', { name: 'Urgent' }).click();
      await ann.seesEvent('Ann set the priority: Urgent');
      const conversation = ann.page.url();
      const colleague = await logInAs('bob');
      await colleague.page.goto(conversation);
      await colleague.note('@Ann, please look at this.');
      await colleague.page.getByText('@Ann, please look at this.').waitFor();
      await colleague.transferTo('Team: Returns');
      await ann.seesEvent('Bob gave it to Returns');
      const gone = await bench.requestHandoff({ user: { userId: 'kim' } });
      await gone.closeByUser();
      await bench.requestHandoff({ user: { userId: 'john' } });

      const bob = await logInWith({ locale, colorScheme });
      for (const width of WIDTHS) {
        await bob.setViewportSize({ width, height: 900 });
        const look = async (name: string) => {
          const found = [...(await axeViolations(bob)), ...(await overflowing(bob))];
          expect(found, `${name} at ${width} px`).toEqual([]);
        };
        await bob.goto(`${url}#/`);
        for (const [index, name] of VIEWS.entries()) {
          await bob.locator('.views button').nth(index).click();
          await look(name);
        }
        await bob.locator('.views button').first().click();
        await bob.goto(conversation);
        await bob.locator('.line.mentions-me').waitFor();
        await look('a conversation');
        await bob.locator('.composer textarea').fill('/');
        await bob.locator('.suggestions').waitFor();
        await look('canned replies behind a slash');
        await bob.locator('.composer textarea').fill('');
        await bob.locator('[data-key=note]').click();
        await bob.locator('.composer textarea').fill('@');
        await bob.locator('.suggestions').waitFor();
        await look('mentions behind an at sign');
        await bob.locator('.composer textarea').fill('');
        await bob.locator('.sorting > button.quiet').click();
        await bob.getByRole('dialog').waitFor();
        await look('tags');
        await bob.keyboard.press('Escape');
        await bob.goto(`${url}#/dashboard`);
        await bob.locator('.report table').first().waitFor();
        await look('the dashboard');
      }

      async function logInWith(options: { locale: string; colorScheme: 'light' | 'dark' }) {
        const context = await browser.newContext({
          ...options,
          storageState: await ann.context.storageState(),
        });
        context.setDefaultTimeout(TIMEOUT_MS / 2);
        const page = await context.newPage();
        await page.goto(url);
        await page.locator('.views').waitFor();
        return page;
      }
    });
  }
});
