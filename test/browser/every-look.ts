import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolations } from './axe.js';
import { overflowing } from './overflow.js';

const WIDTHS = [360, 768, 1_440];

/** Checks what a page shows now: accessible in both themes, and not too wide for a phone, a tablet and a desktop. */
export async function expectEveryLook(page: Page, name: string): Promise<void> {
  const isEnglish = await page.evaluate<boolean>(`document.documentElement.lang.startsWith('en')`);
  const found = isEnglish ? await lookAtAll(page) : await lookAtTexts(page);
  expect(found, name).toEqual([]);
}

/** Other languages differ from English in texts and their lengths only. */
async function lookAtTexts(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    found.push(...(await overflowing(page)).map((each) => `${width} px: ${each}`));
  }
  return [...found, ...(await axeViolations(page))];
}

async function lookAtAll(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    // Colours change at once, not within a tenth of a second.
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    const light = await overflowing(page);
    // A tablet shows the same elements as a desktop or a phone.
    if (width !== 768) light.push(...(await axeViolations(page)));
    found.push(...light.map((each) => `${width} px: ${each}`));
  }
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  // Themes differ in colours only, which do not depend on the width.
  const dark = await axeViolations(page, ['color-contrast']);
  return [...found, ...dark.map((each) => `dark: ${each}`)];
}

/** Looks at a page in each language, one after the other. */
export async function inEachLanguage(page: Page, look: (language: string) => Promise<void>): Promise<void> {
  for (const language of ['en', 'zh']) {
    await page.evaluate(`localStorage.setItem('handoff-desk-language', '${language}')`);
    await page.reload();
    await page.locator(`html[lang^=${language}]`).waitFor();
    await look(language);
  }
}
