import type { Frame, Page } from 'playwright-core';

/** The elements that scroll sideways: the page itself, or a part of it. Wide tables and the line of views are meant to. */
export const overflowing = (page: Page | Frame): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .filter((element) => !element.matches('.scrolls, .views'))
    .filter((element) => element === document.documentElement || getComputedStyle(element).overflowX === 'auto')
    .map((element) => element.tagName + '#' + element.id + '.' + element.className)`);
