import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import express from 'express';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ROOT } from '../docs/pages.js';
import { describeWith } from '../helpers/requirement.js';
import { listen, type Served } from '../helpers/serve.js';
import { axeViolations } from './axe.js';
import { describeInBrowser, launch } from './chromium.js';
import { openWindow, TIMEOUT_MS } from './start-desk.js';

/** The documentation site, built and served as a folder of files. */
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: 5 * TIMEOUT_MS });

const DIST = join(ROOT, 'docs/.vitepress/dist');

const SITE_TOOLS = {
  name: 'site',
  found: existsSync(join(ROOT, 'docs/node_modules/vitepress')),
  leavesOut: 'the documentation site',
  howToGet: 'npm ci --prefix docs',
};

/** Pages of every kind: home, prose, tables, another language, generated ones. */
const SAMPLE = [
  '/',
  '/zh/',
  '/tutorial.html',
  '/adapters/slack.html',
  '/troubleshooting.html',
  '/reference/cli.html',
  '/reference/api/',
  '/reference/api/handoff-kit/metrics.html',
];

/** Evaluated in the page: the widths of the pictures that it shows, in their own pixels and in those of the page. */
const PICTURES = `Promise.all([...document.querySelectorAll('main img')]
  .filter((image) => image.checkVisibility())
  .map(async (image) => {
    await image.decode();
    return { pixels: image.naturalWidth, width: image.clientWidth };
  }))`;

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1_280, height: 800 };

describeWith(SITE_TOOLS)('the documentation site', () => {
  let site: Served;

  beforeAll(async () => {
    // The build itself fails with a dead link.
    const { status, stdout, stderr } = spawnSync('npm', ['--prefix', 'docs', 'run', 'build'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production' },
    });
    if (status !== 0) throw new Error(`the site could not be built: ${stdout}${stderr}`);
    const app = express().use(express.static(DIST));
    site = await listen(app);
  });
  afterAll(() => site?.end());

  it('has no link without a page, and no anchor without a heading', () => {
    const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
    const pages = files.filter((file) => file.endsWith('.html') && file !== '404.html');
    const html = new Map(pages.map((file) => [file, readFileSync(join(DIST, file), 'utf8')]));
    expect(pages.length).toBeGreaterThan(50);
    const broken = pages.flatMap((page) =>
      [...(html.get(page) ?? '').matchAll(/<a [^>]*?href="([^"]+)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => !leadsTo(page, href))
        .map((href) => `${page}: ${href}`),
    );
    expect([...new Set(broken)]).toEqual([]);

    function leadsTo(page: string, href: string): boolean {
      const { pathname, hash } = new URL(href, `http://site/${page}`);
      const path = decodeURIComponent(pathname).slice(1);
      const target = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path;
      const text = html.get(target);
      if (text === undefined) return files.includes(target);
      return hash === '' || text.includes(`id="${decodeURIComponent(hash.slice(1))}"`);
    }
  });

  it('has a page for every entry of the package in the API reference', () => {
    const files = readdirSync(join(ROOT, 'src/public'), { recursive: true, encoding: 'utf8' });
    const entries = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `/${file.slice(0, -'.ts'.length)}`);
    const pages = entries.map((path) => `reference/api/handoff-kit${path === '/index' ? '' : path}.html`);
    expect(pages.filter((page) => !existsSync(join(DIST, page)))).toEqual([]);
  });

  it('has each page as Markdown, which llms.txt lists', () => {
    const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
    const pages = files
      .filter((file) => file.endsWith('.html') && file !== '404.html')
      .map((file) => file.replace(/html$/, 'md'));
    expect(pages.filter((page) => !files.includes(page))).toEqual([]);
    const listed = linksIn('llms.txt');
    expect(pages.filter((page) => !listed.includes(`/${page}`))).toEqual([]);

    const broken = [...pages, 'llms.txt', 'llms-full.txt'].flatMap((page) =>
      linksIn(page)
        .filter((href) => href.startsWith('/') && href !== '/' && !files.includes(href.slice(1)))
        .map((href) => `${page}: ${href}`),
    );
    expect(broken).toEqual([]);
    const relative = pages.filter((page) => linksIn(page).some((href) => !/^(\/|[a-z]+:)/.test(href)));
    expect(relative).toEqual([]);

    function linksIn(page: string): string[] {
      const text = readFileSync(join(DIST, page), 'utf8').replace(/^```.*?^```$|`[^`\n]*`/gms, 'code');
      return [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, href = '']) => href);
    }
  });

  it('serves llms.txt and pages as Markdown', async () => {
    const text = await (await fetch(`${site.url}/llms.txt`)).text();
    expect(text).toMatch(/^# handoff-kit\n\n> /);
    const tutorial = await fetch(`${site.url}/tutorial.md`);
    expect(tutorial.headers.get('content-type')).toContain('text/markdown');
    expect(await tutorial.text()).toBe(
      readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8').replace(/\]\((?=[a-z-]+\.md)/g, '](/'),
    );
    expect(await (await fetch(`${site.url}/index.md`)).text()).toMatch(/^# handoff-kit\n/);
  });

  describeInBrowser('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser.close());

    it.each(SAMPLE)(
      '%s is accessible in both themes, fits a phone, and needs no other server',
      async (path) => {
        const window = await openWindow(browser, site.url + path, {
          viewport: DESKTOP,
          colorScheme: 'light',
        });
        const { page } = window;
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await axeViolations(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html.dark').waitFor({ state: 'attached' });
        // Themes differ in colours only.
        expect(await axeViolations(page, ['color-contrast']), 'dark').toEqual([]);
        await page.setViewportSize(PHONE);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
        if (path === '/') expect(await axeViolations(page), 'on a phone').toEqual([]);
        const { foreignRequests, consoleErrors } = window;
        expect({ foreignRequests, consoleErrors }).toEqual({ foreignRequests: [], consoleErrors: [] });
      },
    );

    it.each([
      { path: '/', action: 'Start with the tutorial' },
      { path: '/zh/', action: '从教程开始' },
    ])('the start page $path begins with what to do, and fits', async ({ path, action }) => {
      const { page } = await openWindow(browser, site.url + path, { viewport: DESKTOP });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const viewport of [{ width: 1_280, height: 720 }, { width: 1_440, height: 900 }, PHONE]) {
          const at = `${colorScheme}, ${viewport.width} × ${viewport.height}`;
          await page.setViewportSize(viewport);
          const box = await page.getByRole('link', { name: action, exact: true }).boundingBox();
          expect(box?.y, at).toBeGreaterThan(0);
          expect((box?.y ?? 0) + (box?.height ?? 0), at).toBeLessThan(viewport.height);
          expect(await page.evaluate('document.documentElement.scrollWidth'), at).toBe(viewport.width);
          const code = await page.evaluate<[number, number]>(
            "(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.hero pre'))",
          );
          if (viewport !== PHONE) expect(code[0], `a line of the code is cut off, ${at}`).toBe(code[1]);
          const pictures = await page.evaluate<{ pixels: number; width: number }[]>(PICTURES);
          expect(pictures, at).toHaveLength(1);
          expect(pictures.filter(({ pixels, width }) => pixels < width)).toEqual([]);
        }
      }
    });

    it('begins the API reference with the ten names that programs use', async () => {
      const { page } = await openWindow(browser, `${site.url}/reference/api/`, { viewport: DESKTOP });
      const names = await page
        .getByRole('main')
        .getByRole('list')
        .first()
        .locator('li > a:first-child')
        .allTextContents();
      expect(names).toHaveLength(10);
      expect(names).toEqual(expect.arrayContaining(['createReceiver', 'Receiver.on', 'createTestBench']));
      await page.getByRole('link', { name: 'pathToken', exact: true }).click();
      await page.waitForURL(/handoff-kit\.html#pathtoken/);
    });

    it('leads from a page to its Markdown', async () => {
      const { page } = await openWindow(browser, `${site.url}/adapters/slack.html`, { viewport: DESKTOP });
      await page.getByRole('link', { name: 'This page as Markdown' }).click();
      await page.waitForURL(/\/adapters\/slack\.md$/);
    });

    it('finds a page by its words', async () => {
      const { page, consoleErrors } = await openWindow(browser, site.url, { viewport: DESKTOP });
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('CLAIM_LOST');
      await page.getByRole('option').filter({ hasText: 'CLAIM_LOST' }).first().click();
      await page.waitForURL(/troubleshooting|reference/);
      expect(consoleErrors).toEqual([]);
    });

    it('switches between light and dark', async () => {
      const { page } = await openWindow(browser, site.url, { viewport: DESKTOP, colorScheme: 'light' });
      await page.getByRole('switch').first().click();
      await page.locator('html.dark').waitFor({ state: 'attached' });
    });
  });
});
