import { join } from 'node:path';
import express from 'express';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { createDesk, type Desk, type HostSession } from '../../src/adapters/desk/index.js';
import type { Shelf } from '../../src/delivery/index.js';
import { type SqliteOptions, sqlite } from '../../src/delivery/sqlite/index.js';
import { createReceiver } from '../../src/index.js';
import { createTestBench, type TestBench } from '../../src/testing/index.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type AgentAtDesk, agentAt } from './agent.js';

/** Those who work at the desk of the tests. */
export const AGENTS = { ann: 'Ann', bob: 'Bob' } as const;
/** The password of all of them. */
export const PASSWORD = 'correct horse battery';

/** A machine with much to do is slow; none of these tests is about time. */
export const PATIENCE_MS = 120_000;

/** A desk that is served, with a simulated service behind it. */
export interface DeskRig {
  /** Where the desk is, with the slash at its end. */
  readonly url: string;
  readonly bench: TestBench;
  readonly desk: Desk;
  /** Where the desk keeps what it knows. */
  readonly shelf: Shelf;
  /** Breaks every connection to the desk. */
  readonly cut: () => void;
  /** Lets an agent in, in a browser of their own. */
  readonly enter: (id: keyof typeof AGENTS, options?: BrowserContextOptions) => Promise<AgentAtDesk>;
}

/** What differs from test to test. */
export interface RigOptions {
  /** Whether replies survive an outage of the service. Default `true`. */
  readonly stores?: boolean;
  readonly outbox?: SqliteOptions['outbox'];
  /** Who is logged in at the application that the desk is part of. Default: agents log in at the desk. */
  readonly host?: HostSession;
}

/** Starts a desk for one test. */
export async function startDesk(
  browser: Browser,
  { stores = true, outbox, host }: RigOptions = {},
): Promise<DeskRig> {
  const app = express();
  const { log } = logLines();
  const file = join(await temporaryFolder(), 'handoff.db');
  const made: { desk?: Desk; shelf?: Shelf } = {};
  const bench = await createTestBench({
    replyTimeoutMs: PATIENCE_MS,
    drainMs: 5_000,
    simulator: { deliveryTimeoutMs: 60_000 },
    receiver: (options) => {
      const delivery = sqlite({ file, pollMs: 20, ...(outbox && { outbox }) });
      const receiver = createReceiver({ ...options, log, ...(stores && { delivery }) });
      receiver.on('message', () => undefined);
      made.desk = createDesk({ receiver, agents: host ?? 'stored', log, bridge: { log } });
      made.shelf = receiver.storage.shelf;
      app.use('/desk', made.desk);
      return receiver;
    },
  });
  const { desk, shelf } = made;
  if (!desk || !shelf) throw new Error('the bench made no desk');
  onTestFinished(() => desk.close());
  onTestFinished(() => bench.close());
  for (const [id, name] of Object.entries(AGENTS)) await desk.agents.save({ id, name }, PASSWORD);
  const { url: origin, server } = await serve(app);
  const url = `${origin}/desk/`;

  return {
    url,
    bench,
    desk,
    shelf,
    cut: () => server.closeAllConnections(),
    async enter(id, options) {
      const { page, context, complaints, strangers } = await openWindow(browser, url, options);
      await logIn(page, id);
      const agent = agentAt(page);
      await agent.inbox.waitFor();
      return { ...agent, context, complaints, strangers };
    },
  };
}

/** Fills in the login of the page. */
export async function logIn(page: Page, name: string, password: string = PASSWORD): Promise<void> {
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').click();
}

/** A window, with what no test wants to see. It is closed when the test is over. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to anywhere else. */
  readonly strangers: readonly string[];
  /** What the console complains of, policies that were broken among it. */
  readonly complaints: readonly string[];
}

/** Opens a window in a browser context of its own. */
export async function openWindow(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 720 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS / 2);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const strangers: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) strangers.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, context, strangers, complaints };
}
