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

/** The demo's page in a browser, with what no test wants to see. */
export interface OpenPage {
  readonly page: Page;
  /** Requests to anywhere but the demo. */
  readonly strangers: readonly string[];
  /** What the console complains of. */
  readonly complaints: readonly string[];
}

/** Starts `handoff-kit demo` as a user does, and opens its page. Both are gone when the test is over. */
export async function openDemo(
  browser: Browser,
  viewport: { readonly width: number; readonly height: number },
): Promise<OpenPage> {
  const demo = runNode(['dist/cli/main.js', 'demo', '--automatic']);
  const [, url = ''] = await demo.until(/Open (http:\/\/127\.0\.0\.1:\d+) in a browser/);
  const context = await browser.newContext({ viewport });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const strangers: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== url) strangers.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, strangers, complaints };
}
