import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { customerAt } from './customer-page.js';
import { openWindow, startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const QUESTION = 'Do you ship to Norway?';
const WISH = 'I want to talk to a human.';

/** Evaluated in the page: types two keys behind the first letter of the field that has the focus. */
const TYPE_IN_ONE_FRAME = `(async () => {
  const field = document.activeElement;
  field.setSelectionRange(1, 1);
  for (const key of ['1', '2']) {
    field.setRangeText(key, field.selectionStart, field.selectionStart, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { text: field.value, caret: field.selectionStart };
})()`;

describeInBrowser('teaching at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('adds the answer to what the bot knows', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    const dialog = ann.page.getByRole('dialog', { name: 'Teach the bot this answer' });
    const customer = customerAt((await openWindow(browser, bench.platform.baseUrl)).page);
    await customer.say(QUESTION);
    await customer.sees('bot', 'I only know what was added to my knowledge');
    await customer.press('Ask for a human');
    await ann.inbox.getByRole('link').click();
    await customer.say(WISH);
    await ann.sees('customer', WISH);
    await ann.reply('yes we do');
    await ann.delivery('yes we do', 'sent');

    // The agent can review and edit the pair before it is sent.
    await ann.press('Teach the bot');
    await dialog.getByText('a document with this question and answer').waitFor();
    await dialog.getByLabel("Start from a customer's message").selectOption({ label: QUESTION });
    expect(await dialog.getByLabel('Question').inputValue()).toBe(QUESTION);
    expect(await dialog.getByLabel('Answer').inputValue()).toBe('yes we do');
    await dialog.getByLabel('Answer').fill('Yes, we ship to Norway.');
    await dialog.getByRole('button', { name: 'Teach' }).click();
    await ann.notice.getByText('The bot has learned this answer.').waitFor();

    await ann.press('Teach the bot');
    await dialog.getByText('2 questions and answers, including this one').waitFor();
    await dialog.getByText('Show the whole list').click();
    await dialog.getByText('Yes, we ship to Norway.').waitFor();
    await dialog.getByLabel('Question').fill('Are you human?');
    await dialog.getByLabel('Answer').fill('Some of us are.');
    await dialog.getByRole('button', { name: 'Teach' }).click();
    await dialog.waitFor({ state: 'detached' });
    await ann.close();

    await customer.status('The agent closed the conversation');
    await customer.press('New customer');
    await customer.say(QUESTION);
    await customer.sees('bot', 'Yes, we ship to Norway.');
    await customer.say('Are you human?');
    await customer.sees('bot', 'Some of us are.');
    expect(ann.consoleErrors).toEqual([]);
  });

  it('keeps the caret where the agent types, however fast', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.say(QUESTION);
    await ann.open('maria');
    await ann.reply('Yes.');
    await ann.press('Teach the bot');
    await ann.page.getByRole('textbox', { name: 'Answer' }).focus();
    const typed = await ann.page.evaluate(TYPE_IN_ONE_FRAME);
    expect(typed).toEqual({ text: 'Y12es.', caret: 3 });
  });

  it('shows an error of the platform and keeps the input', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.say(QUESTION);
    await ann.open('maria');
    await ann.reply('Yes.');
    await ann.delivery('Yes.', 'sent');
    bench.faults.set('answerError', { on: ['addQa'] });
    await ann.press('Teach the bot');
    await ann.press('Teach');
    await ann.notice.getByText('The platform did not accept it').waitFor();
    bench.faults.clear('answerError');
    expect(await ann.page.getByLabel('Question').inputValue()).toBe(QUESTION);
    await ann.press('Teach');
    await ann.notice.getByText('The bot has learned this answer.').waitFor();
  });
});
