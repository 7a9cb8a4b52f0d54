import { mkdirSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Where the README's pictures are. They are made anew only where that is asked for. */
const SCREENSHOTS = new URL('../../docs/screenshots/', import.meta.url).pathname;
const LARGEST_PICTURE = 150_000;

/** Makes a picture for the README. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.HANDOFF_KIT_SCREENSHOTS !== '1') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = `${SCREENSHOTS}${name}.png`;
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(LARGEST_PICTURE);
}
