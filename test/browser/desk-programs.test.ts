import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { webhookEndpoint } from '../desk/webhook-endpoint.js';
import { describeInBrowser, launch } from './chromium.js';
import { expectEveryLook, inEachLanguage } from './every-look.js';
import { startDesk, TIMEOUT_MS } from './start-desk.js';

vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

describeInBrowser('the settings of the API', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('create a token that works, and revoke it', async () => {
    const { url, logInAs } = await startDesk(browser);
    const { page, consoleErrors } = await logInAs('ann');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'API' }).click();
    await page.getByText('No tokens yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('CRM sync');
    await page.getByLabel('Role').selectOption('Supervisor');
    await page.getByRole('button', { name: 'Create a token' }).click();
    const token = await page.locator('dialog .password').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    const call = () => fetch(`${url}api/canned`, { headers: { authorization: `Bearer ${token}` } });
    expect((await call()).status).toBe(200);

    await page.reload();
    const row = page.getByRole('row', { name: 'CRM sync' });
    expect(await row.innerText()).toMatch(/token:[0-9a-f]{16}\s+Supervisor/);
    expect(await page.content()).not.toContain(token);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await call()).status).toBe(401);
    expect(consoleErrors).toEqual([]);
  });

  it('create a webhook, show its problems, and remove it', async () => {
    const endpoint = await webhookEndpoint(() => 410);
    const { bench, logInAs, url } = await startDesk(browser);
    const { page } = await logInAs('ann');
    await page.goto(`${url}#/settings/programs`);
    await page.getByLabel('Address', { exact: true }).fill('ftp://example.com');
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByText('Enter an address on HTTP or HTTPS').waitFor();
    await page.getByLabel('Address', { exact: true }).fill(endpoint.url);
    await page.getByLabel('note.added').uncheck();
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    expect(await page.locator('dialog .password').innerText()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await bench.requestHandoff();
    await vi.waitFor(() => expect(endpoint.types()).toContain('conversation.opened'), 20_000);
    const row = page.getByRole('row', { name: endpoint.url });
    await vi.waitFor(async () => {
      await page.reload();
      await row.getByText('disabled since').waitFor({ timeout: 5_000 });
    }, 60_000);
    await inEachLanguage(page, async (language) => {
      await row.waitFor();
      await expectEveryLook(page, `the settings of the API in ${language}`);
    });
    await page.evaluate(`localStorage.setItem('handoff-desk-language', 'en')`);
    await page.reload();
    await row.getByRole('button', { name: 'Enable again' }).click();
    await row.getByText('nothing sent yet').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('are for administrators', async () => {
    const { logInAs } = await startDesk(browser);
    const { page } = await logInAs('bob');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Canned replies' }).waitFor();
    expect(await page.getByRole('link', { name: 'API' }).count()).toBe(0);
  });
});
