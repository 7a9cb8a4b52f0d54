// @ts-check
// A page for the README of each adapter.
import { readdirSync, readFileSync } from 'node:fs';
import { changeLinks, linkOnSite } from '../.vitepress/links.js';

const ADAPTERS = new URL('../../src/adapters/', import.meta.url);

export default {
  paths: () =>
    readdirSync(ADAPTERS).map((name) => ({
      params: { name },
      content: changeLinks(readFileSync(new URL(`${name}/README.md`, ADAPTERS), 'utf8'), (href) =>
        linkOnSite(href, `src/adapters/${name}`),
      ),
    })),
};
