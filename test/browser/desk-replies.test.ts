import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { agentAt } from './agent-page.js';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const MARIA = 'maria.lopez';
const JOHN = 'john.smith';
const QUICK = { minDelayMs: 50, maxDelayMs: 200 };

describeInBrowser('replies from the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('are stored while the platform is down, and sent afterwards', async () => {
    const { bench, logInAs } = await startDesk(browser, { outbox: QUICK });
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('I am looking into it.');
    const stored = await ann.delivery('I am looking into it.', 'stored');
    expect(await stored.textContent()).toBe('queued, will be sent');
    expect(bench.replies).toEqual([]);
    bench.faults.clear('answerError');
    const sent = await ann.delivery('I am looking into it.', 'sent');
    expect(await sent.textContent()).toBe('sent');
    expect(bench.replies.map(({ text }) => text)).toEqual(['I am looking into it.']);
    expect(ann.consoleErrors).toEqual([]);
  });

  it('show the reason of a failure, and can be sent again', async () => {
    const { bench, logInAs } = await startDesk(browser, { outbox: { ...QUICK, giveUpAfterMs: 1 } });
    const [ann, bob] = [await logInAs('ann'), await logInAs('bob')];
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await bob.open(MARIA);
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.reply('Hello!');
    const failed = await ann.delivery('Hello!', 'failed');
    expect(await failed.textContent()).toMatch(/^not sent: .{10,}/);
    await bob.choose('简体中文');
    const inChinese = await bob.delivery('Hello!', 'failed');
    expect(await inChinese.textContent()).toMatch(/^未发送：[\p{Script=Han}，]+$/u);
    bench.faults.clear('answerError');
    await ann.press('Send again');
    await ann.delivery('Hello!', 'sent');
    await bob.delivery('Hello!', 'sent');
    expect(bench.replies.map(({ text }) => text)).toEqual(['Hello!']);
  });

  it('are not sent twice when the answer of the desk is lost', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.page.route(
      /\/reply$/,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await ann.reply('Only once.');
    await ann.notice.getByText('The desk cannot be reached').waitFor();
    // The desk accepted the reply, and it arrives as a live update, which empties the field.
    await ann.delivery('Only once.', 'sent');
    const field = ann.page.locator('.composer textarea');
    await vi.waitFor(async () => expect(await field.inputValue()).toBe(''), { timeout: 10_000 });
    expect(bench.replies.map(({ text }) => text)).toEqual(['Only once.']);
    expect(await ann.said()).toEqual(['Only once.']);
  });

  it('leave what is written while they are sent', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await ann.page.route(/\/reply$/, async (route) => {
      await held;
      await route.continue();
    });
    await ann.reply('First.');
    await ann.page.keyboard.type('And second');
    goOn();
    await ann.delivery('First.', 'sent');
    expect(await ann.field.inputValue()).toBe('And second');
    expect(bench.replies.map(({ text }) => text)).toEqual(['First.']);
  });

  it('are not sent twice when the page is loaded again before the answer', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    const isTaken = new Promise<void>((resolve) => {
      // The desk gets the request, and the page never gets the answer.
      void ann.page.route(
        /\/(reply|note)$/,
        async (route) => {
          await route.fetch();
          resolve();
        },
        { times: 1 },
      );
    });
    await ann.reply('Only once.');
    await isTaken;
    // The page does not see that the desk has it, and the agent sends it again.
    await ann.page.route(/\/api\/conversations\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      const view = (await response.json()) as { entries: unknown[] };
      await route.fulfill({ response, json: { ...view, entries: [] } });
    });
    await ann.page.reload();
    await ann.page.getByRole('heading', { name: MARIA }).waitFor();
    expect(await ann.field.inputValue()).toBe('Only once.');
    await ann.press('Send');
    await vi.waitFor(async () => expect(await ann.field.inputValue()).toBe(''), { timeout: 10_000 });
    await ann.page.unrouteAll();
    await ann.page.reload();
    await ann.delivery('Only once.', 'sent');
    expect(await ann.said()).toEqual(['Only once.']);
    expect(bench.replies.map(({ text }) => text)).toEqual(['Only once.']);
  });

  it('that failed and were replaced or deleted do not come back', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await bench.requestHandoff({ user: { userId: JOHN } });
    await ann.open(MARIA);
    await ann.page.route(/\/reply$/, (route) => route.abort());
    const holds = (text: string) =>
      vi.waitFor(async () => expect(await ann.field.inputValue()).toBe(text), { timeout: 10_000 });
    await ann.reply('Discarded');
    await ann.notice.getByText('The desk cannot be reached').waitFor();
    await holds('Discarded');
    await ann.field.fill('Wanted');
    await ann.open(JOHN);
    await holds('');
    await ann.open(MARIA);
    await holds('Wanted');
    await ann.page.reload();
    await ann.page.getByRole('heading', { name: MARIA }).waitFor();
    await holds('Wanted');
    await ann.field.fill('');
    await ann.open(JOHN);
    await ann.open(MARIA);
    await holds('');
  });

  it('stay replies when the customer leaves', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.press('Claim');
    await ann.seesEvent('Ann claimed this conversation');
    await ann.press('Reply');
    await ann.page.keyboard.type('I wanted to say');
    await bench.closeByUser();
    await ann.page.getByText('this reply was not sent').waitFor();
    await ann.page.locator('.conversation-header').getByText('The customer left').waitFor();
    expect(await ann.field.inputValue()).toBe('I wanted to say');
    expect(await ann.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await ann.press('Keep as a note');
    expect(await ann.field.inputValue()).toBe('I wanted to say');
    await ann.press('Add note');
    await ann.log.locator('.note').getByText('I wanted to say').waitFor();
  });

  it('are drafts that all tabs share', async () => {
    const { bench, logInAs, url } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    const other = agentAt(await ann.context.newPage());
    await other.page.goto(url);
    await other.open(MARIA);
    await ann.field.fill('Written in the first tab');
    await vi.waitFor(async () => expect(await other.field.inputValue()).toBe('Written in the first tab'), {
      timeout: 10_000,
    });
  });

  it('are kept as drafts by conversation, across reloads', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await bench.requestHandoff({ user: { userId: JOHN } });
    await ann.open(MARIA);
    await ann.field.fill('For Maria');
    await ann.press('Note');
    await ann.field.fill('About Maria');
    await ann.open(JOHN);
    expect(await ann.field.inputValue()).toBe('');
    await ann.field.fill('For John');
    await ann.page.reload();
    await ann.page.getByRole('heading', { name: JOHN }).waitFor();
    expect(await ann.field.inputValue()).toBe('For John');
    await ann.open(MARIA);
    expect(await ann.field.inputValue()).toBe('For Maria');
    await ann.press('Note');
    expect(await ann.field.inputValue()).toBe('About Maria');
    expect(bench.replies).toEqual([]);
  });

  it('can be saved as canned replies, with names filled in', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const { id } = await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.canned('Hello');
    expect(await ann.field.inputValue()).toBe('Hello, this is Ann. How can I help you?');
    await ann.field.fill('');
    await ann.canned('Edit canned replies');
    await ann.press('Add a reply');
    const dialog = ann.page.getByRole('dialog');
    await dialog.getByLabel('Title').last().fill('Number');
    await dialog.getByLabel('Text;').last().fill('{user}, {agent} notes {conversation}. {other} stays.');
    await ann.press('Save');
    await ann.notice.getByText('Saved.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await ann.canned('Number');
    expect(await ann.field.inputValue()).toBe(`${MARIA}, Ann notes ${id}. {other} stays.`);
    const bob = await logInAs('bob');
    await bob.open(MARIA);
    await bob.canned('Number');
    expect(await bob.field.inputValue()).toContain('Bob notes');
  });

  it('can be saved as canned replies before the newest list of them has come', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    const loaded = deferred();
    await ann.page.route('**/api/canned', async (route) => {
      if (route.request().method() === 'GET') await loaded.promise;
      await route.continue();
    });
    await ann.canned('Edit canned replies');
    await ann.press('Add a reply');
    const answered = ann.page.waitForResponse('**/api/canned');
    loaded.resolve();
    await answered;
    const dialog = ann.page.getByRole('dialog');
    await dialog.getByLabel('Title').last().fill('Thanks');
    await dialog.getByLabel('Text;').last().fill('Thank you!');
    await ann.press('Save');
    await dialog.waitFor({ state: 'detached' });
    await ann.canned('Thanks');
    expect(await ann.field.inputValue()).toBe('Thank you!');
    await ann.field.fill('');
    await ann.canned('Goodbye');
    expect(await ann.field.inputValue()).toContain('Goodbye!');
  });

  it('come with a warning when nothing is stored', async () => {
    const { bench, logInAs } = await startDesk(browser, { stores: false });
    const ann = await logInAs('ann');
    await ann.page.getByText('Nothing is stored').waitFor();
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.reply('Hello!');
    await ann.delivery('Hello!', 'sent');
    expect((await bench.nextReply()).text).toBe('Hello!');
  });
});
