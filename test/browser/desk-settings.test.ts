import { TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chooseInMenu } from './agent-page.js';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { logIn, openWindow, PASSWORD, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const NEW_PASSWORD = 'a quite different phrase';

describeInBrowser('the settings of the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('let an administrator add an agent, change the role, and remove the agent', async () => {
    const { url, desk, logInAs } = await startDesk(browser);
    const { page, consoleErrors } = await logInAs('ann');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByLabel('Login name').fill('cleo');
    await page.getByLabel('Name', { exact: true }).fill('Cleo');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const password = await page.locator('dialog .password').innerText();
    await page.getByRole('button', { name: 'Done' }).click();

    const { page: cleo } = await openWindow(browser, url);
    await logIn(cleo, 'cleo', password);
    await cleo.getByRole('button', { name: 'Account: Cleo' }).waitFor();

    await page.getByLabel('Role: Cleo').selectOption('Supervisor');
    // Choosing alone changes nothing, so that arrow keys do no harm.
    expect((await desk.agents.get('cleo'))?.role).toBe('agent');
    await page.getByRole('row', { name: 'Cleo' }).getByRole('button', { name: 'Change' }).click();
    await vi.waitFor(async () => expect((await desk.agents.get('cleo'))?.role).toBe('supervisor'), 20_000);

    await page.getByRole('row', { name: 'Cleo' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: 'Cleo' }).waitFor({ state: 'detached' });
    await cleo.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  it('set the business hours, which users are told outside of', async () => {
    const { url, bench, logInAs } = await startDesk(browser);
    const { page, consoleErrors } = await logInAs('ann', { timezoneId: 'Asia/Tokyo' });
    await page.goto(`${url}#/settings/hours`);
    await page.getByText('Open now.').waitFor();
    await page.getByLabel('during these hours').check();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
    await page.getByLabel('Time zone').selectOption('UTC');
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
      await page.getByRole('button', { name: `Remove hours: ${day}` }).click();
    }
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('one day must be open').waitFor();

    // Open on the day in three days only, until midnight.
    const inThreeDays = new Date(Date.now() + 3 * 86_400_000);
    const day = inThreeDays.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    await page.getByRole('button', { name: `Add hours: ${day}` }).click();
    const closes = page.getByLabel(`${day}: closes`);
    await closes.fill('08:00');
    await page.getByText('next day').waitFor();
    await closes.fill('00:00');
    await page.getByText('next day').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add a day' }).click();
    // A day that is not filled in is not saved; the browser says so.
    await save.click();
    expect(await page.getByLabel('Day 1').evaluate((field) => field.matches(':invalid'))).toBe(true);
    await page.getByLabel('Day 1').fill('2027-01-01');
    await page.getByLabel('Reply to users outside these hours').fill('We are back soon.');
    await save.click();
    await page.getByText('Closed now').waitFor();

    const maria = await bench.requestHandoff({ user: { userId: 'maria' } });
    expect((await maria.nextReply()).text).toBe('We are back soon.');
    await page.reload();
    expect(await page.getByLabel(`${day}: opens`).inputValue()).toBe('09:00');
    expect(await closes.inputValue()).toBe('00:00');
    expect(await page.getByLabel('Day 1').inputValue()).toBe('2027-01-01');
    await page.getByLabel('always').check();
    await save.click();
    await page.getByText('Open now.').waitFor();
    // The hours are kept for another time.
    await page.getByLabel('during these hours').check();
    expect(await closes.inputValue()).toBe('00:00');
    expect(await page.getByText('as configured').count()).toBe(0);
    expect(consoleErrors.filter((line) => !line.includes('400'))).toEqual([]);
  });

  it('ask before edits that were not saved are lost', async () => {
    const { url, logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann');
    const asked: string[] = [];
    let isLeft = false;
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void (isLeft ? dialog.accept() : dialog.dismiss());
    });
    await page.goto(`${url}#/settings/teams`);
    await page.getByRole('button', { name: 'Add a team' }).click();
    await page.getByLabel('Name').fill('Night');
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 10_000 });
    expect(await page.getByLabel('Name').inputValue()).toBe('Night');
    expect(page.url()).toContain('#/settings/teams');
    await chooseInMenu(page, '简体中文');
    expect(await page.getByLabel('Name').inputValue()).toBe('Night');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    expect(asked).toHaveLength(2);
    await page.goto(`${url}#/settings/teams`);
    await page.getByLabel('Name').fill('Day');
    isLeft = true;
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    expect(asked).toEqual(Array(3).fill('Leave without saving your changes?'));
    for (const [tab, field] of [
      ['agents', 'Login name'],
      ['account', 'Current password'],
    ] as const) {
      isLeft = false;
      asked.length = 0;
      await page.goto(`${url}#/settings/${tab}`);
      await page.getByLabel(field).fill('something');
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await vi.waitFor(() => expect(asked, tab).toHaveLength(1), { timeout: 10_000 });
      expect(await page.getByLabel(field).inputValue()).toBe('something');
      isLeft = true;
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    }
    // So does a role that was chosen and not changed.
    await page.goto(`${url}#/settings/agents`);
    await page.getByLabel('Role: Bob').selectOption('Agent');
    asked.length = 0;
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    expect(asked).toHaveLength(1);
  });

  it('name the browsers of sessions', async () => {
    const { url, logInAs } = await startDesk(browser);
    const userAgent =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0';
    const { page } = await logInAs('ann', { userAgent });
    await page.goto(`${url}#/settings/account`);
    const cell = page.getByRole('cell', { name: 'Edge on Windows' });
    expect(await cell.getAttribute('title')).toBe(userAgent);
  });

  it('hide from agents what their role does not allow', async () => {
    const { url, bench, desk, logInAs } = await startDesk(browser);
    await desk.agents.save({ id: 'cleo', name: 'Cleo', role: 'agent' }, PASSWORD);
    const bob = await logInAs('bob');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bob.open('maria');
    await bob.reply('Hello from Bob');
    const { page } = await openWindow(browser, url);
    await logIn(page, 'cleo');
    await page.getByRole('link').filter({ hasText: 'maria' }).click();
    await page.getByText('Hello from Bob').first().waitFor();
    for (const name of ['Take over', 'Teach the bot']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Tags']);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Failed deliveries' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Report' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await page.getByRole('link', { name: 'Agents' }).count()).toBe(0);
    // The address of a hidden view does not help.
    await page.goto(`${url}#/settings/audit`);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Audit log' }).count()).toBe(0);
  });

  it('set up a second factor, which the next login asks for', async () => {
    const { url, logInAs } = await startDesk(browser);
    const { page, consoleErrors } = await logInAs('ann');
    await page.goto(`${url}#/settings`);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    const secret = await page.locator('code').innerText();
    const app = new TOTP({ secret });
    const form = page.locator('form').filter({ hasText: 'Second factor' });
    await form.getByLabel('Current password').fill(PASSWORD);
    expect(await axeViolations(page)).toEqual([]);
    // Codes are made when they are needed, since they expire.
    await form.getByLabel('Code from the app').fill(app.generate());
    await form.getByRole('button', { name: 'Turn on' }).click();
    const codes = (await page.locator('.recovery pre').innerText()).split('\n');
    expect(codes).toHaveLength(10);
    await page.getByText('Signing in requires a code from your authenticator app.').waitFor();
    expect(consoleErrors).toEqual([]);

    const { page: other } = await openWindow(browser, url);
    await logIn(other, 'ann');
    await other.getByRole('alert').getByText('Enter the code').waitFor();
    expect(await axeViolations(other)).toEqual([]);
    // A code works once; the one of the next 30 seconds is accepted already.
    const nextCode = app.generate({ timestamp: Date.now() + 30_000 });
    await other.getByLabel(/^Code from your authenticator/).fill(nextCode);
    await other.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Account: Ann' }).waitFor();
    // The other session is listed, and can be signed out.
    await page.reload();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await other.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
  });

  it('change the password and go on working', async () => {
    const { url, logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann');
    await page.goto(`${url}#/settings`);
    const form = page.locator('form').filter({ hasText: 'New password' });
    await form.getByLabel('Current password').fill('wrong password');
    await form.getByLabel(/^New password/).fill(NEW_PASSWORD);
    await form.getByRole('button').click();
    await page.getByText('The password is wrong.').waitFor();
    await form.getByLabel('Current password').fill(PASSWORD);
    await form.getByRole('button').click();
    await page.getByText('Password changed.').waitFor();
    await page.getByRole('link', { name: 'Teams' }).click();
    await page.getByRole('button', { name: 'Add a team' }).click();
    await page.getByLabel('Name of the team').fill('Night shift');
    await page.getByLabel('Bob').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    expect(await page.getByLabel('Bob').isChecked()).toBe(true);
  });

  it('search and export the audit log', async () => {
    const { url, logInAs } = await startDesk(browser);
    const { page: stranger } = await openWindow(browser, url);
    await logIn(stranger, 'root', 'not a password');
    await stranger.getByRole('alert').getByText('wrong').waitFor();
    const { page } = await logInAs('ann');
    await page.goto(`${url}#/settings/audit`);
    await page.getByRole('cell', { name: /login failed.*root/ }).waitFor();
    await page.getByLabel('Search the audit log').fill('ann');
    await page.getByRole('button', { name: 'Search the audit log' }).click();
    await page.getByRole('cell', { name: /root/ }).waitFor({ state: 'detached' });
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    expect((await download).suggestedFilename()).toBe('audit.csv');
  });

  it('require a second factor, which agents set up before anything else', async () => {
    const { url, bench, logInAs } = await startDesk(browser);
    const bob = await logInAs('bob');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bob.open('maria');
    await bob.field.fill('A draft of Bob');
    const ann = await logInAs('ann');
    await ann.page.goto(`${url}#/settings/agents`);
    await ann.page.getByRole('button', { name: 'Require a second factor' }).click();
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Require a second factor' }).click();

    // The page of each agent starts anew, the administrator's too.
    for (const { page } of [ann, bob]) {
      await page.getByText('This desk requires a second factor. Set it up to continue.').waitFor();
      expect(await page.getByText('maria').count()).toBe(0);
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      const app = new TOTP({ secret: await page.locator('code').innerText() });
      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('Code from the app').fill(app.generate());
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByText('The password is wrong.').waitFor();
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByLabel('Code from the app').fill(app.generate());
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.locator('.recovery').waitFor();
      await page.getByRole('button', { name: 'Continue to the desk' }).click();
      await page.getByRole('banner').waitFor();
    }
    await expect.poll(() => bob.field.inputValue(), { timeout: 20_000 }).toBe('A draft of Bob');
    await ann.page.goto(`${url}#/settings/account`);
    await ann.page.getByRole('button', { name: 'Set up another app' }).waitFor();
    expect(await ann.page.getByRole('button', { name: 'Turn off' }).count()).toBe(0);
  });

  it('warn before the end of an idle session, which any key prolongs', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const { page } = await logInAs('ann', { viewport: { width: 1_200, height: 720 } });
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await page.clock.install();
    await page.reload();
    await page.getByRole('link').filter({ hasText: 'maria' }).waitFor();
    const warning = page.getByRole('alert').getByText('You will be signed out soon.');
    await page.clock.fastForward('27:00');
    expect(await warning.count()).toBe(0);
    await page.clock.fastForward('01:30');
    await warning.waitFor();
    const reported = page.waitForResponse(/account\/active$/);
    await page.keyboard.press('Shift');
    expect((await reported).status()).toBe(204);
    await warning.waitFor({ state: 'detached' });
  });

  it('leave no draft behind after signing out', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await ann.open('maria');
    await ann.field.fill('A draft about Maria');
    await vi.waitFor(
      async () =>
        expect(await ann.page.evaluate('JSON.stringify(localStorage)')).toContain('A draft about Maria'),
      20_000,
    );
    await ann.choose('Sign out');
    await ann.page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
    expect(await ann.page.evaluate('JSON.stringify(localStorage)')).not.toContain('Maria');
  });

  it('show what would turn a text around', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const customer = await bench.requestHandoff({ user: { userId: 'maria\u202Egpj' } });
    await customer.say('Pay to \u202E321 tnuocca\u202C please');
    await ann.item('maria').click();
    await ann.log.getByText('Pay to [U+202E]321 tnuocca[U+202C] please').waitFor();
    await ann.page.getByRole('heading', { name: 'maria[U+202E]gpj' }).waitFor();
    expect(await ann.page.locator('body').innerText()).not.toMatch(/[\u202A-\u202E]/);
  });

  it('show it in notifications of the system, too', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    // The browser of the test shows none: the page is told that they are allowed and that it is hidden.
    await ann.page.evaluate(`
      globalThis.shown = [];
      globalThis.Notification = class extends EventTarget {
        static permission = 'granted';
        constructor(title, { body }) {
          super();
          shown.push(body);
        }
      };
      Object.defineProperty(document, 'hidden', { get: () => true });
      localStorage.setItem('handoff-desk-notifications', 'on');
    `);
    await bench.requestHandoff({ user: { userId: 'maria\u202Egpj' } });
    const bodies = () => ann.page.evaluate<string[]>('shown');
    await expect.poll(bodies).toEqual([expect.stringContaining('maria[U+202E]gpj')]);
  });
});
