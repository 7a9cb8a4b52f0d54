import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

/** Markup that would take effect if it were not escaped. */
const MARKUP =
  '<img src="/x" onerror="hacked=1"><script>hacked=1</script><style>body{display:none}</style><b>bold</b><a href="javascript:hacked=1">x</a>';

describeInBrowser('untrusted text at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('is shown as text everywhere', async () => {
    const { bench, desk, logInAs } = await startDesk(browser);
    await desk.agents.saveExternal({ id: 'bob', name: MARKUP.slice(0, 90), role: 'agent' });
    const ann = await logInAs('ann');
    const { page } = ann;
    const customer = await bench.requestHandoff({
      user: { userId: MARKUP, email: `${MARKUP}@example.com`, phone: MARKUP, anonymousId: MARKUP },
      transcript: [
        { text: MARKUP, message_type: 'QUESTION' },
        { text: MARKUP, message_type: 'ANSWER' },
      ],
    });
    await ann.notice.getByText(MARKUP).waitFor();
    await customer.say(MARKUP);
    await ann.open(MARKUP);
    await ann.sees('customer', MARKUP);
    await ann.reply(MARKUP);
    await ann.sees('agent', MARKUP);
    await ann.delivery(MARKUP, 'sent');
    expect((await bench.nextReply()).text).toBe(MARKUP);
    await ann.note(MARKUP);
    await ann.log.locator('.note').getByText(MARKUP).waitFor();
    await page.getByText('Chat with the bot · 2 messages').click();
    await page.locator('.transcript .from-bot').getByText(MARKUP).waitFor();
    await page.locator('.details').getByText(`${MARKUP}@example.com`).waitFor();
    await ann.transferTo(MARKUP.slice(0, 90));
    await ann.seesEvent(`Ann transferred this conversation to ${MARKUP.slice(0, 90)}`);
    await ann.press('Teach the bot');
    await page.getByRole('dialog').waitFor();

    expect(
      await page
        .locator('#desk')
        .locator('img:not([src="./icon.svg"]), script, style, b, a[href^="javascript"]')
        .count(),
    ).toBe(0);
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
    const { consoleErrors, foreignRequests } = ann;
    expect({ consoleErrors, foreignRequests }).toEqual({ consoleErrors: [], foreignRequests: [] });
  });

  it('could not run even if it were not escaped, due to the policy of the page', async () => {
    const { logInAs } = await startDesk(browser);
    const { page, consoleErrors } = await logInAs('ann');
    const tries = [
      `document.body.innerHTML = '<b>x</b>'`,
      `document.body.setAttribute('onclick', 'hacked = 1')`,
      `document.createElement('script').textContent = 'hacked = 1'`,
      `document.createElement('script').src = 'https://elsewhere.example/x.js'`,
    ];
    for (const attempt of tries) {
      const outcome = await page.evaluate(
        `(() => { try { ${attempt}; return 'taken'; } catch (error) { return error.name; } })()`,
      );
      expect(outcome, attempt).toBe('TypeError');
    }
    await page.evaluate(`document.body.setAttribute('style', 'display: none')`);
    await expect.poll(() => consoleErrors.join('\n'), { timeout: TIMEOUT_MS / 2 }).toMatch(/inline style/i);
    await page.getByRole('heading', { name: 'Waiting' }).waitFor();
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
  });
});
