import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { startSimulator } from './support.js';

const FILES = [
  '/',
  '/page.css',
  '/chat.css',
  '/panel.css',
  '/page.js',
  '/dom.js',
  '/faults.js',
  '/exchanges.js',
  '/icon.svg',
];

test.each(FILES)('%s is served with a strict policy', async (path) => {
  const { call } = await startSimulator();
  const { status, headers } = await call('GET', path, undefined, {});
  expect(status).toBe(200);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('the page has no inline code and no external resources', async () => {
  const { call } = await startSimulator();
  const { text, headers } = await call('GET', '/', undefined, {});
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  expect(text).not.toMatch(/\sstyle=|<style|\son\w+=|https?:\/\//);
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/);
});

const scriptsIn = (folder: string): string[] =>
  readdirSync(new URL(`../../src/${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${folder}/${name}`);

describe('scripts of pages insert text and never markup', () => {
  test.each([...scriptsIn('simulator/page'), ...scriptsIn('cli/demo/page')])('%s', async (path) => {
    const source = await readFile(new URL(`../../src/${path}`, import.meta.url), 'utf8');
    expect(source).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\.style\b/);
  });
});

test('the page’s other files are not served', async () => {
  const { call } = await startSimulator();
  expect((await call('GET', '/tsconfig.json', undefined, {})).status).toBe(404);
  expect((await call('GET', '/..%2foptions.ts', undefined, {})).status).toBe(404);
});
