import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { customerOn } from './customer.js';
import { openWindow, PATIENCE_MS, startDesk } from './desk-rig.js';

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

const MARIA = 'maria.lopez';

/** The page's own policy forbids to wait by code in it. */
const WITHIN = { timeout: 10_000 };

describeInBrowser('a handoff at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('goes from the question to the answer and the end, in two windows', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
    expect(await ann.page.title()).toBe('Desk');
    const window = await openWindow(browser, bench.service.baseUrl);
    const customer = customerOn(window.page);
    await customer.say('Where is my parcel?');
    await customer.sees('agent', 'I only know what was added to my knowledge');
    await customer.press('Ask for a human');

    await ann.notice.getByText('New conversation').waitFor();
    await vi.waitFor(async () => expect(await ann.page.title()).toBe('(1) Desk'), WITHIN);
    await ann.page.keyboard.press('j');
    await ann.page.locator('.transcript .from-user').getByText('Where is my parcel?').waitFor();
    await ann.page.locator('.transcript .from-agent').getByText('I only know what was added').waitFor();
    await ann.press('Claim');
    await ann.hears('Ann claimed it');
    await vi.waitFor(async () => expect(await ann.page.title()).toBe('Desk'), WITHIN);

    await ann.reply('It is in Lyon.');
    await customer.sees('human', 'It is in Lyon.');
    await ann.delivery('It is in Lyon.', 'sent');
    await customer.status('Connected with a human');
    await customer.say('Thank you!');
    await ann.sees('customer', 'Thank you!');
    await ann.close();
    await customer.status('The human closed the conversation');
    await ann.hears('Ann closed it');
    const { complaints, strangers } = ann;
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
  });

  it('hears when the customer leaves', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.reply('Hello!');
    expect((await bench.nextReply()).text).toBe('Hello!');
    await bench.closeByUser();
    await ann.hears('The customer left');
    await ann.itemIn('closed', MARIA).waitFor();
    // Nothing more can be said to the customer; a note can be kept.
    expect(await ann.page.getByRole('button', { name: 'Reply' }).count()).toBe(0);
    await ann.note('She will write again.');
    expect(bench.replies).toHaveLength(1);
  });

  it('shows the time that is left, and that it has run out', async () => {
    const { bench, enter } = await startDesk(browser);
    const ann = await enter('ann');
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann
      .item(MARIA)
      .getByText(/^\d+ s left to answer$/)
      .waitFor();
    await ann.open(MARIA);
    bench.clock.advance(60_000);
    await ann.hears('The platform ended it: time is up');
    await ann.itemIn('closed', MARIA).waitFor();
    expect(await ann.item(MARIA).getByText('left to answer').count()).toBe(0);
    expect(bench.conversation.endedBy).toBe('timeout');
  });

  it('is taken by one agent, given to another and taken over, and both see it at once', async () => {
    const { bench, enter } = await startDesk(browser);
    const [ann, bob] = [await enter('ann'), await enter('bob')];
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await bob.open(MARIA);
    await ann.press('Claim');
    await bob.hears('Ann claimed it');
    await bob.itemIn('active', MARIA).getByText('Ann', { exact: true }).waitFor();
    expect(await bob.page.getByRole('button', { name: 'Claim' }).count()).toBe(0);
    await bob.reply('I answer in her place.');
    await bob.notice.getByText('Another agent has this conversation').waitFor();
    expect(await bob.field.inputValue()).toBe('I answer in her place.');

    await bob.page.getByRole('link', { name: 'Dashboard' }).click();
    await ann.transferTo('Bob');
    await ann.hears('Ann gave it to Bob');
    await bob.notice.getByText(`${MARIA} was given to you`).waitFor();
    await ann.press('Take over');
    await ann.hears('Ann took it over');
    await ann.press('Release');
    await ann.hears('Ann released it');
    await bob.itemIn('waiting', MARIA).waitFor();
    expect(bench.replies).toEqual([]);
  });

  it('keeps notes at the desk', async () => {
    const { bench, enter } = await startDesk(browser);
    const [ann, bob] = [await enter('ann'), await enter('bob')];
    await bench.requestHandoff({ user: { userId: MARIA } });
    await ann.open(MARIA);
    await ann.press('Note');
    await ann.field.fill('Secret: she is a gold customer.');
    // What is written as a note does not become a reply when the other is chosen.
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
    await ann.hears('Ann closed it');
    await bench.idle();
    expect(bench.replies.map(({ text }) => text)).toEqual(['Hello!']);
    expect(JSON.stringify(bench.simulator.traffic.exchanges())).not.toContain('gold customer');
  });
});
