import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { customerAt } from './customer-page.js';
import { openWindow, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const MARIA = 'maria.lopez';

/** Polled from outside: the page's policy forbids injected code that waits. */
const WITHIN = { timeout: 10_000 };

describeInBrowser('a handoff at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('goes from the question to the close, in two windows', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    expect(await ann.page.title()).toBe('Desk');
    const window = await openWindow(browser, bench.platform.baseUrl);
    const customer = customerAt(window.page);
    await customer.say('Where is my parcel?');
    await customer.sees('bot', 'I only know what was added to my knowledge');
    await customer.press('Ask for a human');

    await ann.notice.getByText('New conversation').waitFor();
    await vi.waitFor(async () => expect(await ann.page.title()).toBe('(1) Desk'), WITHIN);
    await ann.page.keyboard.press('j');
    await ann.page.locator('.transcript .from-user').getByText('Where is my parcel?').waitFor();
    await ann.page.locator('.transcript .from-bot').getByText('I only know what was added').waitFor();
    await ann.press('Claim');
    await ann.seesEvent('Ann claimed this conversation');
    await vi.waitFor(async () => expect(await ann.page.title()).toBe('Desk'), WITHIN);

    await ann.reply('It is in Lyon.');
    await customer.sees('agent', 'It is in Lyon.');
    await ann.delivery('It is in Lyon.', 'sent');
    await customer.status('Connected with an agent');
    await customer.say('Thank you!');
    await ann.sees('customer', 'Thank you!');
    await ann.close();
    await customer.status('The agent closed the conversation');
    await ann.seesEvent('Ann closed this conversation');
    const { consoleErrors, foreignRequests } = ann;
    expect({ consoleErrors, foreignRequests }).toEqual({ consoleErrors: [], foreignRequests: [] });
  });

  it('warns before the close in full, untouched by the styles of the header', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.press('Claim');
    await ann.press('Close');
    const heading = ann.page.getByRole('dialog').getByRole('heading');
    expect(await heading.textContent()).toContain('ask for an agent again');
    expect(await heading.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    expect(await heading.evaluate((element) => element.closest('#desk'))).toBe(null);
    // The focus returns to the button.
    await ann.page.keyboard.press('Escape');
    await vi.waitFor(
      async () => expect(await ann.page.evaluate('document.activeElement.textContent')).toBe('Close'),
      WITHIN,
    );
  });

  it('shows that the customer left', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.reply('Hello!');
    expect((await bench.nextReply()).text).toBe('Hello!');
    await bench.closeByUser();
    await ann.seesEvent('The customer left');
    await ann.view('Closed');
    await ann.itemIn('closed', MARIA).waitFor();
    // Replies are no longer possible; notes are.
    expect(await ann.page.getByRole('button', { name: 'Reply' }).count()).toBe(0);
    await ann.note('She will write again.');
    expect(bench.replies).toHaveLength(1);
  });

  it('shows the time left to answer, and the timeout', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann
      .item(MARIA)
      .getByText(/^\d+ s left to answer$/)
      .waitFor();
    await ann.open(MARIA);
    bench.clock.advance(60_000);
    await ann.seesEvent('The platform ended this conversation: timed out');
    await ann.view('Closed');
    await ann.itemIn('closed', MARIA).waitFor();
    expect(await ann.item(MARIA).getByText('left to answer').count()).toBe(0);
    expect(bench.conversation.endedBy).toBe('timeout');
  });

  it('is claimed, transferred and taken over, and both agents see it', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const [ann, bob] = [await logInAs('ann'), await logInAs('bob')];
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await bob.open(MARIA);
    await bob.field.fill('I answer in her place.');
    await ann.press('Claim');
    await bob.seesEvent('Ann claimed this conversation');
    await bob.itemIn('active', MARIA).getByText('Ann', { exact: true }).waitFor();
    expect(await bob.page.getByRole('button', { name: 'Claim' }).count()).toBe(0);
    // What the server would refuse is not offered.
    await bob.page.locator('.composer').getByText('Ann has this conversation.').waitFor();
    expect(await bob.field.inputValue()).toBe('I answer in her place.');
    expect(await bob.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await bob.press('Discard');
    for (const name of ['Reply', 'Send', 'Close'])
      expect(await bob.page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    await bob.press('More actions');
    expect(await bob.page.getByRole('menuitem').allTextContents()).toEqual(['Tags']);
    await bob.page.keyboard.press('Escape');
    await bob.page.getByRole('button', { name: 'Take over' }).waitFor();
    await bob.note('I can help.');
    // Neither is a snooze before the first reply.
    await ann.press('More actions');
    expect(await ann.page.getByRole('menuitem').allTextContents()).toEqual([
      'Transfer to…',
      'Release',
      'Tags',
    ]);
    await ann.page.getByRole('menuitem', { name: 'Transfer to…' }).click();
    expect(await ann.page.getByRole('dialog').locator('option').allTextContents()).toEqual(['Bob']);
    await ann.page.keyboard.press('Escape');

    await bob.page.getByRole('link', { name: 'Dashboard' }).click();
    await ann.transferTo('Bob');
    await ann.seesEvent('Ann transferred this conversation to Bob');
    await bob.notice.getByText(`The conversation with ${MARIA} was assigned to you`).waitFor();
    await ann.press('Take over');
    await ann.seesEvent('Ann took over this conversation');
    await ann.more('Release');
    await ann.seesEvent('Ann released this conversation');
    await bob.page.getByRole('link', { name: 'Conversations' }).click();
    await bob.itemIn('waiting', MARIA).waitFor();
    expect(bench.replies).toEqual([]);
  });

  it('never sends notes to the customer', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const [ann, bob] = [await logInAs('ann'), await logInAs('bob')];
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.press('Note');
    await ann.field.fill('Secret: she is a gold customer.');
    // The draft of a note does not become a reply when the mode changes.
    await ann.press('Reply');
    expect(await ann.field.inputValue()).toBe('');
    await ann.field.fill('Hello!');
    await ann.press('Send');
    expect((await bench.nextReply()).text).toBe('Hello!');
    await ann.press('Note');
    expect(await ann.field.inputValue()).toBe('Secret: she is a gold customer.');
    await ann.press('Add note');
    await bob.open(MARIA);
    await bob.log.getByText('Secret: she is a gold customer.').waitFor();
    await ann.close();
    await ann.seesEvent('Ann closed this conversation');
    await bench.idle();
    expect(bench.replies.map(({ text }) => text)).toEqual(['Hello!']);
    expect(JSON.stringify(bench.simulator.traffic.exchanges())).not.toContain('gold customer');
  });
});
