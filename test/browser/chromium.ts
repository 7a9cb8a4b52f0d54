import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { describeWith } from '../helpers/requirement.js';
import { runNode } from '../standalone/program.js';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** `describe` for tests in a real browser. */
export const describeInBrowser = describeWith({
  name: 'browser',
  found: existsSync(CHROMIUM),
  leavesOut: `tests in a browser, since there is no Chromium at ${CHROMIUM}`,
  howToGet: 'apt-get install -y chromium, or set CHROMIUM_PATH',
});

/** Starts Chromium. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });

/** The demo's page, with problems that tests check for. */
export interface OpenPage {
  readonly page: Page;
  /** URLs of requests to other origins. */
  readonly foreignRequests: readonly string[];
  /** Errors and warnings of the console. */
  readonly consoleErrors: readonly string[];
}

/** Starts `handoff-kit demo` and opens its page, until the test ends. */
export async function openDemo(
  browser: Browser,
  viewport: { readonly width: number; readonly height: number },
): Promise<OpenPage> {
  const demo = runNode(['dist/cli/main.js', 'demo', '--automatic']);
  const [, url = ''] = await demo.until(/Open (http:\/\/127\.0\.0\.1:\d+) in a browser/);
  const context = await browser.newContext({ viewport });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const foreignRequests: string[] = [];
  const consoleErrors: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== url) foreignRequests.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  await page.goto(url);
  return { page, foreignRequests, consoleErrors };
}
