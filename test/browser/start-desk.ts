import { join } from 'node:path';
import express from 'express';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { type SqliteOptions, sqlite } from '../../src/delivery/sqlite/index.js';
import {
  type AgentRole,
  createDesk,
  type Desk,
  type DeskOptions,
  type HostSession,
} from '../../src/desk/index.js';
import { createReceiver } from '../../src/public/index.js';
import { createTestBench, type TestBench } from '../../src/testing/index.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type AgentWindow, agentAt } from './agent-page.js';

/** The agents of the test desk. */
export const AGENTS = { ann: 'Ann', bob: 'Bob' } as const;
const ROLE_OF: Readonly<Record<string, AgentRole>> = { ann: 'administrator', bob: 'supervisor' };
/** The password of every agent. */
export const PASSWORD = 'correct horse battery';

/** Generous, since the machine may be busy; none of these tests measures time. */
export const TIMEOUT_MS = 120_000;

/** A running desk with a simulated platform. */
export interface RunningDesk {
  /** The URL of the desk, with a trailing slash. */
  readonly url: string;
  readonly bench: TestBench;
  readonly desk: Desk;
  /** Breaks every connection to the desk. */
  readonly dropConnections: () => void;
  /** Logs an agent in, in a browser context of their own. */
  readonly logInAs: (id: keyof typeof AGENTS, options?: BrowserContextOptions) => Promise<AgentWindow>;
}

/** Settings of {@link startDesk}. */
export interface StartDeskOptions {
  /** Whether replies survive an outage of the platform. Default `true`. */
  readonly stores?: boolean;
  readonly outbox?: SqliteOptions['outbox'];
  /** The session of a host application. Default: agents log in at the desk. */
  readonly host?: HostSession;
  readonly webPush?: DeskOptions['webPush'];
  readonly assist?: DeskOptions['assist'];
}

/** Starts a desk for one test. */
export async function startDesk(
  browser: Browser,
  { stores = true, outbox, host, webPush = {}, assist }: StartDeskOptions = {},
): Promise<RunningDesk> {
  const app = express();
  const { log } = logLines();
  const file = join(await temporaryFolder(), 'handoff.db');
  let desk: Desk | undefined;
  const bench = await createTestBench({
    replyTimeoutMs: TIMEOUT_MS,
    drainMs: 5_000,
    simulator: { deliveryTimeoutMs: 60_000 },
    receiver: (options) => {
      const delivery = sqlite({ file, pollMs: 20, ...(outbox && { outbox }) });
      const receiver = createReceiver({ ...options, log, ...(stores && { delivery }) });
      receiver.on('message', () => undefined);
      desk = createDesk({
        receiver,
        agents: host ?? 'stored',
        log,
        bridge: { log },
        webPush,
        ...(assist && { assist }),
      });
      app.use('/desk', desk);
      return receiver;
    },
  });
  if (!desk) throw new Error('the bench created no receiver');
  onTestFinished(() => desk?.close());
  onTestFinished(() => bench.close());
  for (const [id, name] of Object.entries(AGENTS)) {
    await desk.agents.save({ id, name, role: ROLE_OF[id] ?? 'agent' }, PASSWORD);
  }
  const { url: origin, server } = await serve(app);
  const url = `${origin}/desk/`;

  return {
    url,
    bench,
    desk,
    dropConnections: () => server.closeAllConnections(),
    async logInAs(id, options) {
      const { page, context, consoleErrors, foreignRequests } = await openWindow(browser, url, options);
      await logIn(page, id);
      const agent = agentAt(page);
      await agent.inbox.waitFor();
      return { ...agent, context, consoleErrors, foreignRequests };
    },
  };
}

/** Submits the login form. */
export async function logIn(page: Page, name: string, password: string = PASSWORD): Promise<void> {
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').click();
}

/** A window, with problems that tests check for. It is closed when the test ends. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URLs of requests to other origins. */
  readonly foreignRequests: readonly string[];
  /** Errors and warnings of the console, such as violations of the page's policy. */
  readonly consoleErrors: readonly string[];
}

/** Opens a window in a browser context of its own. */
export async function openWindow(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  // Colours and places are measured at once, not in the middle of a transition.
  const calm = { viewport: { width: 1_200, height: 720 }, reducedMotion: 'reduce' } as const;
  const context = await browser.newContext({ ...calm, ...options });
  context.setDefaultTimeout(TIMEOUT_MS / 2);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const foreignRequests: string[] = [];
  const consoleErrors: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) foreignRequests.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  await page.goto(url);
  return { page, context, foreignRequests, consoleErrors };
}
