import { mkdirSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The README's screenshots. They are taken only with HANDOFF_KIT_SCREENSHOTS=1. */
const SCREENSHOTS = new URL('../../docs/screenshots/', import.meta.url).pathname;
const MAX_BYTES = 400_000;

/** Takes a screenshot for the README. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.HANDOFF_KIT_SCREENSHOTS !== '1') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = `${SCREENSHOTS}${name}.png`;
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(MAX_BYTES);
}
