import type { Frame, Page } from 'playwright-core';

/** What can be scrolled sideways: the page itself, or a part of it. */
export const tooWide = (page: Page | Frame): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .filter((element) => element === document.documentElement || getComputedStyle(element).overflowX === 'auto')
    .map((element) => element.tagName + '#' + element.id + '.' + element.className)`);
