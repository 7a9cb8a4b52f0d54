import { json } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { serve } from '../helpers/serve.js';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

/** A model that answers each task with its own words, and fails when it is told to. */
async function startModel() {
  const model = { isBroken: false, url: '' };
  const { url } = await serve((request, response) => {
    void json(request).then((body) => {
      const content = (body as { messages: { content: string }[] }).messages[0]?.content ?? '';
      const answer = content.startsWith('Translate')
        ? 'Guten Tag.'
        : content.includes('Summarise')
          ? 'Wants a refund.'
          : 'Good day.';
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of answer.split(/(?= )/)) {
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
        if (model.isBroken) {
          response.end();
          return;
        }
      }
      response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
  });
  return Object.assign(model, { url });
}

describeInBrowser('the assistant at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('writes drafts, translations and notes into the field, and sends nothing', async () => {
    const model = await startModel();
    const assist = { baseUrl: model.url, model: 'small' };
    const { bench, logInAs } = await startDesk(browser, { assist });
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.say('Hallo?');
    await ann.open('maria');
    const choose = async (name: string): Promise<void> => {
      await ann.press('Assistant');
      await ann.page.getByRole('menuitem', { name }).click();
    };
    await choose('Draft a reply');
    await expect.poll(() => ann.field.inputValue(), { timeout: TIMEOUT_MS }).toBe('Good day.');
    await choose("Translate into the customer's language");
    await expect.poll(() => ann.field.inputValue(), { timeout: TIMEOUT_MS }).toBe('Guten Tag.');
    await ann.page.getByText('Original: Good day.').waitFor();
    await choose('Restore the original');
    expect(await ann.field.inputValue()).toBe('Good day.');
    await ann.page.getByRole('button', { name: 'Translate', exact: true }).click();
    await ann.log.getByText('Guten Tag.').waitFor();
    await ann.page.locator('[data-key=note]').click();
    await ann.page.locator('.composer.note textarea').fill('My own words.');
    await choose('Summarise as a note');
    await expect
      .poll(() => ann.page.locator('.composer.note textarea').inputValue(), { timeout: TIMEOUT_MS })
      .toBe('My own words.\n\nWants a refund.');
    await ann.page.locator('[data-key=reply]').click();
    expect(await ann.field.inputValue()).toBe('Good day.');

    model.isBroken = true;
    await ann.field.fill('');
    await choose('Draft a reply');
    await ann.notice.getByText('The assistant gave no answer').waitFor();
    expect(await ann.field.inputValue()).toBe('Good');
    expect(bench.replies).toEqual([]);
    expect(ann.consoleErrors).toEqual([]);
  });

  it('does not show without a model', async () => {
    const { bench, logInAs } = await startDesk(browser);
    const ann = await logInAs('ann');
    await bench.requestHandoff({ user: { userId: 'maria' } });
    await bench.say('Hallo?');
    await ann.open('maria');
    await ann.field.waitFor();
    expect(await ann.page.getByRole('button', { name: /Assistant|Translate/ }).count()).toBe(0);
  });
});
