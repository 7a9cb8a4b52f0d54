import type { Frame, Page } from 'playwright-core';

/** The elements that scroll sideways: the page itself, or a part of it. Wide tables are meant to, in a region of their own. */
export const overflowing = (page: Page | Frame): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .filter((element) => !element.matches('.scrolls'))
    .filter((element) => element === document.documentElement || getComputedStyle(element).overflowX === 'auto')
    .map((element) => element.tagName + '#' + element.id + '.' + element.className)`);
