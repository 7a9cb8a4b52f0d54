import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, launch } from './chromium.js';
import { PATIENCE_MS, startDesk } from './desk-rig.js';

vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

/** Everything that would do something if it were not shown as the text that it is. */
const MARKUP =
  '<img src="/x" onerror="hacked=1"><script>hacked=1</script><style>body{display:none}</style><b>bold</b><a href="javascript:hacked=1">x</a>';

describeInBrowser('text of others at the desk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('stays text, wherever it is shown', async () => {
    const { bench, desk, enter } = await startDesk(browser);
    await desk.agents.note({ id: 'bob', name: MARKUP.slice(0, 90) });
    const ann = await enter('ann');
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
    await page.locator('.transcript .from-agent').getByText(MARKUP).waitFor();
    await page.locator('.details').getByText(`${MARKUP}@example.com`).waitFor();
    await ann.transferTo(MARKUP.slice(0, 90));
    await ann.hears(`Ann gave it to ${MARKUP.slice(0, 90)}`);
    await ann.press('Teach the AI');
    await page.getByRole('dialog').waitFor();

    expect(await page.locator('#desk').locator('img, script, style, b, a[href^="javascript"]').count()).toBe(
      0,
    );
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
    const { complaints, strangers } = ann;
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
  });

  it('could do nothing even if it became more: the page allows no code but its own', async () => {
    const { enter } = await startDesk(browser);
    const { page, complaints } = await enter('ann');
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
    await expect.poll(() => complaints.join('\n'), { timeout: PATIENCE_MS / 2 }).toMatch(/inline style/i);
    await page.getByRole('heading', { name: 'Waiting' }).waitFor();
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
  });
});
