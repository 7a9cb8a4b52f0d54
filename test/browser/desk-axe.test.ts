import { TOTP } from 'otpauth';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { expectEveryLook, inEachLanguage } from './every-look.js';
import { logIn, openWindow, PASSWORD, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: 3 * TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const TEAMS = [{ id: 'returns', name: 'Returns', members: ['ann', 'bob'] }];
/** Opens the menu of a conversation. */
const MORE = '.conversation-header .menu > button';
const VIEWS = ['all', 'mine', 'teams', 'mentions', 'unassigned', 'closed'];

/** Opens a menu or a dialog, looks at it, and closes it. */
async function lookInto(page: Page, button: Locator, name: string): Promise<void> {
  await page.setViewportSize({ width: 1_440, height: 900 });
  await button.click();
  const opened = page.locator('dialog[open], [role=menu], .suggestions').first();
  await opened.waitFor();
  await expectEveryLook(page, name);
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'detached' });
}

/** A desk with a conversation that is answered, one that waits, one of a team and a closed one. */
async function busyDesk(browser: Browser) {
  const running = await startDesk(browser, {
    outbox: { minDelayMs: 50, maxDelayMs: 200, giveUpAfterMs: 1 },
  });
  const { bench, desk, logInAs } = running;
  await desk.store.write({ put: [{ kind: 'settings', id: 'teams', value: TEAMS, version: 0 }] });
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
  await ann.more('Tags');
  await ann.page.getByLabel('New tag').fill('refund');
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await ann.more('Urgent');
  await ann.seesEvent('Ann set the priority to Urgent');
  const conversation = ann.page.url();
  const bob = await logInAs('bob');
  await bob.page.goto(conversation);
  await bob.note('@Ann, please look at this.');
  await ann.log.getByText('@Ann, please look at this.').waitFor();
  await bench.requestHandoff({ user: { userId: 'ted' } });
  await bob.open('ted');
  await bob.transferTo('Team: Returns');
  await bob.seesEvent('Bob transferred this conversation to Returns');
  const gone = await bench.requestHandoff({ user: { userId: 'kim' } });
  await gone.closeByUser();
  await bench.requestHandoff({ user: { userId: 'john' } });
  await ann.item('john').waitFor();
  return { ...running, ann, conversation };
}

describeInBrowser('accessible at 360, 768 and 1440 px, in both languages and themes', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('are the views of the list, a search and a conversation', async () => {
    const { url, conversation, ann } = await busyDesk(browser);
    const { page } = ann;
    await inEachLanguage(page, async (language) => {
      await page.goto(`${url}#/`);
      for (const [index, name] of VIEWS.entries()) {
        await page.locator('.views button').nth(index).click();
        await expectEveryLook(page, `${name}, ${language}`);
      }
      await page.locator('.views button').first().click();
      await lookInto(page, page.locator('.top-bar .menu > button'), `the agent's menu, ${language}`);
      const [filter, select] = [
        page.locator('.list-head > button').first(),
        page.locator('.list-head > button').last(),
      ];
      await filter.click();
      await page.locator('.filters').waitFor();
      await expectEveryLook(page, `filters, ${language}`);
      await filter.click();
      await select.click();
      await page.locator('.select input').first().check();
      await page.locator('.bulk-actions').waitFor();
      await expectEveryLook(page, `selected conversations, ${language}`);
      await select.click();
      const search = page.getByRole('searchbox');
      await search.fill('maria');
      await page.locator('.found [data-conversation]').waitFor();
      await expectEveryLook(page, `a search, ${language}`);
      await search.fill('');
      await page.goto(conversation);
      await page.locator('.line.mentions-me').waitFor();
      await expectEveryLook(page, `a conversation, ${language}`);
      const field = page.locator('.composer textarea');
      await field.fill('/');
      await page.locator('.suggestions').waitFor();
      await expectEveryLook(page, `canned replies behind a slash, ${language}`);
      await field.fill('');
      await page.locator('[data-key=note]').click();
      await expectEveryLook(page, `a note, ${language}`);
      await field.fill('@');
      await page.locator('.suggestions').waitFor();
      await expectEveryLook(page, `mentions behind an at sign, ${language}`);
      await field.fill('');
      await page.locator('[data-key=reply]').click();
    });
  });

  it('are the menus and dialogs of a conversation', async () => {
    const { conversation, ann } = await busyDesk(browser);
    const { page } = ann;
    const dialogs = {
      'the other actions': MORE,
      'the question before the end': '.conversation-header .actions > button',
      'canned replies': '.modes .menu > button',
      teaching: '.foot button',
    };
    await inEachLanguage(page, async (language) => {
      await page.goto(conversation);
      await page.locator('.line.mentions-me').waitFor();
      for (const [name, button] of Object.entries(dialogs))
        await lookInto(page, page.locator(button).first(), `${name}, ${language}`);
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await expectEveryLook(page, `preferences and shortcuts, ${language}`);
      await page.keyboard.press('Escape');
      for (const [name, nth] of Object.entries({ 'a transfer': 0, tags: 2 })) {
        await page.setViewportSize({ width: 1_440, height: 900 });
        await page.locator(MORE).click();
        await lookInto(page, page.getByRole('menuitem').nth(nth), `${name}, ${language}`);
      }
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await expectEveryLook(page, `commands, ${language}`);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.locator('.modes .menu > button').click();
      await page.getByRole('menuitem').last().click();
      await page.getByRole('dialog').waitFor();
      await expectEveryLook(page, `the editor of canned replies, ${language}`);
      await page.keyboard.press('Escape');
    });
  });

  it('are the dashboard and its dead letters', async () => {
    const { url, bench, ann } = await busyDesk(browser);
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('It is in Lyon.');
    await ann.delivery('It is in Lyon.', 'failed');
    const { page } = ann;
    await inEachLanguage(page, async (language) => {
      await page.goto(`${url}#/dashboard`);
      await page.locator('.report table').first().waitFor();
      const buttons = page.locator('.dead .buttons button');
      await buttons.first().waitFor();
      await expectEveryLook(page, `the dashboard, ${language}`);
      await lookInto(page, buttons.first(), `a dead letter, ${language}`);
      await lookInto(page, buttons.last(), `the question before it is discarded, ${language}`);
    });
  });

  it('are the settings and their dialogs', async () => {
    const { url, logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann');
    // Edits are left behind.
    page.on('dialog', (dialog) => void dialog.accept());
    const open = async (tab: string) => {
      await page.goto(`${url}#/settings/${tab}`);
      await page.locator(`.admin a[href$="${tab}"][aria-current]`).waitFor();
      await page.locator('.admin h3').first().waitFor();
    };
    await inEachLanguage(page, async (language) => {
      for (const tab of ['account', 'agents', 'teams', 'assignment', 'hours', 'canned', 'audit']) {
        await open(tab);
        await expectEveryLook(page, `${tab}, ${language}`);
      }
      await open('hours');
      await page.locator('input[type=radio]').nth(1).check();
      await page.locator('fieldset > .buttons button').click();
      await expectEveryLook(page, `weekly hours, ${language}`);
      await open('account');
      const account = page.locator('.admin');
      await lookInto(page, account.locator('.buttons button').last(), `signing out everywhere, ${language}`);
      await account.locator('form button[type=button]').click();
      await page.locator('.qr').waitFor();
      await expectEveryLook(page, `setting up a second factor, ${language}`);
      await open('agents');
      const bob = page.locator('tr').filter({ has: page.locator('th', { hasText: 'Bob' }) });
      await lookInto(page, bob.locator('td > .buttons button').last(), `removing an agent, ${language}`);
      await lookInto(
        page,
        page.locator('section > .buttons button'),
        `requiring a second factor, ${language}`,
      );
      await bob.locator('td > .buttons button').first().click();
      await page.locator('dialog button.primary').click();
      await page.locator('dialog .password').waitFor();
      await expectEveryLook(page, `a new password, ${language}`);
      await page.keyboard.press('Escape');
      await open('teams');
      await page.locator('form > .buttons button[type=button]').click();
      await page.locator('fieldset').first().waitFor();
      await expectEveryLook(page, `a team, ${language}`);
    });
  });

  it('are the login pages', async () => {
    const { url, desk, logInAs } = await startDesk(browser);
    const host = await startDesk(browser, { host: () => null });
    const { page: hosted } = await openWindow(browser, host.url);
    await inEachLanguage(hosted, async (language) => {
      await hosted.locator('button').waitFor();
      await expectEveryLook(hosted, `the login at a host application, ${language}`);
    });
    const { page } = await openWindow(browser, url);
    await inEachLanguage(page, async (language) => {
      await page.locator('button[type=submit]').waitFor();
      await expectEveryLook(page, `the login, ${language}`);
      await logIn(page, 'ann', 'not the password');
      await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
      await expectEveryLook(page, `a failed login, ${language}`);
    });

    const ann = await logInAs('ann');
    await ann.page.goto(`${url}#/settings`);
    await ann.page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const app = new TOTP({ secret: await ann.page.locator('code').innerText() });
    await ann.page.getByLabel('Code from the app').fill(app.generate());
    await ann.page
      .locator('form')
      .filter({ has: ann.page.locator('.qr') })
      .getByLabel('Current password')
      .fill(PASSWORD);
    await ann.page.getByRole('button', { name: 'Turn on' }).click();
    await ann.page.locator('.recovery').waitFor();
    await inEachLanguage(page, async (language) => {
      await logIn(page, 'ann');
      await page.locator('#code').waitFor();
      await expectEveryLook(page, `the login with a code, ${language}`);
    });

    await ann.page.goto(`${url}#/settings/agents`);
    await ann.page.getByRole('button', { name: 'Require a second factor' }).click();
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Require a second factor' }).click();
    await ann.page.getByText('Agents with a password must have a second factor.').waitFor();
    await desk.agents.save({ id: 'cleo', name: 'Cleo' }, PASSWORD);
    await logIn(page, 'cleo');
    await page.locator('main.admin').waitFor();
    await inEachLanguage(page, async (language) => {
      await page.locator('main.admin form button').click();
      await page.locator('.qr').waitFor();
      await expectEveryLook(page, `a second factor that must be set up, ${language}`);
    });
  });
});
