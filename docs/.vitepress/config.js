// @ts-check
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { chapters } from './chapters.js';
import { linkOnSite } from './links.js';
import { llmsFull, llmsTxt, markdownOf, sections } from './llms.js';

const DOCS = new URL('../', import.meta.url);

const sidebar = chapters().map(({ text, pages }) => ({
  text,
  items: pages.map(({ title, page }) => ({ text: title, link: `/${page}` })),
}));
sidebar.find(({ text }) => text === 'Reference')?.items.push({ text: 'API', link: '/reference/api/' });

/** The start pages, which have a layout of their own. */
const HOME = ['index.md', 'zh/index.md'];

const { version } = JSON.parse(readFileSync(new URL('../package.json', DOCS), 'utf8'));

const FOR_PROGRAMS = '<a href="/llms.txt" target="_self">llms.txt</a>';

export default defineConfig({
  title: 'handoff-kit',
  description: 'Webhooks and human handoffs of chatbot platforms, for Node.',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcExclude: ['node_modules/**'],
  outDir: '.vitepress/dist',
  // A page names its own language. The switch leads to the start page, since only the first pages are translated.
  locales: {
    root: { label: 'English', lang: 'en' },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/',
      description: '在你自己的 Node 应用中，接收聊天机器人平台的 webhook 和转人工请求。',
      themeConfig: {
        nav: [
          { text: '教程', link: '/zh/tutorial' },
          { text: '英文文档', link: '/events' },
          { text: version, link: '/upgrading' },
        ],
        sidebar: [
          {
            text: '开始',
            items: [
              { text: '简介', link: '/zh/' },
              { text: '教程', link: '/zh/tutorial' },
              { text: '英文文档', link: '/events' },
            ],
          },
        ],
        footer: { message: `MIT 许可证 · ${FOR_PROGRAMS}` },
        outline: { label: '本页内容', level: [2, 3] },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '语言',
      },
    },
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    i18nRouting: false,
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guides', link: '/events' },
      { text: 'Reference', link: '/settings' },
      { text: 'API', link: '/reference/api/' },
      { text: version, link: '/upgrading' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    footer: { message: `MIT licence · ${FOR_PROGRAMS}` },
    search: {
      provider: 'local',
      options: {
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: { noResultsText: '没有结果：', resetButtonTitle: '清除' },
            },
          },
        },
      },
    },
  },
  markdown: {
    // The light theme of the default has too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // Anchors as on GitHub, so that a link works in both places.
    anchor: {
      slugify: (title) =>
        title
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
    },
    config(md) {
      md.core.ruler.push('empty-headers', ({ tokens }) => {
        // A table header without text is an ordinary cell to a screen reader.
        for (const [index, token] of tokens.entries()) {
          if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') continue;
          for (const each of [token, tokens[index + 2]]) if (each) each.tag = 'td';
        }
      });
      md.core.ruler.push('main-landmark', ({ tokens, env, Token }) => {
        // The layout of a start page has none.
        if (!HOME.includes(env.relativePath)) return;
        const [open, close] = ['<main>', '</main>'].map((content) =>
          Object.assign(new Token('html_block', '', 0), { content }),
        );
        if (open && close) tokens.splice(0, tokens.length, open, ...tokens, close);
      });
      // A picture that has a dark version is there twice, and the theme shows one of them.
      md.core.ruler.push('dark-pictures', ({ tokens, env }) => {
        const folder = new URL(`${posix.dirname(env.relativePath ?? '')}/`, DOCS);
        for (const { children } of tokens) {
          const image = children?.find(({ type }) => type === 'image');
          const dark = image?.attrGet('src')?.replace(/\.png$/, '-dark.png');
          if (!children || !image || !dark?.endsWith('-dark.png') || !existsSync(new URL(dark, folder)))
            continue;
          const copy = Object.assign(Object.create(Object.getPrototypeOf(image)), image, {
            attrs: image.attrs?.map(([name, value]) => [name, value]),
          });
          image.attrJoin('class', 'light-only');
          copy.attrSet('src', dark);
          copy.attrJoin('class', 'dark-only');
          children.splice(children.indexOf(image) + 1, 0, copy);
        }
      });
      // Links of Markdown files work in the repository and in the package; here some lead to other addresses.
      md.core.ruler.push('links-on-site', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (href) token.attrSet('href', linkOnSite(href, `docs/${posix.dirname(env.relativePath ?? '')}`));
        }
      });
    },
  },
  // The index of the search has the API reference; it is loaded at the first search.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  transformPageData(pageData) {
    // Not in the files: GitHub would show it as a table.
    if (HOME.includes(pageData.relativePath)) pageData.frontmatter.layout = 'home';
  },
  transformHead: ({ page }) =>
    page === '404.md' ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${page}` }]],
  buildEnd({ outDir }) {
    copyFileSync(new URL('../openapi.json', DOCS), `${outDir}/openapi.json`);
    cpSync(new URL('screenshots', DOCS), `${outDir}/screenshots`, { recursive: true });
    const address = (/** @type {string} */ file) => linkOnSite(file, '');
    const api = apiPages();
    for (const { file } of [...sections(), api].flatMap(({ files }) => files)) {
      const path = address(file);
      if (!path.startsWith('/')) continue;
      mkdirSync(dirname(outDir + path), { recursive: true });
      writeFileSync(outDir + path, markdownOf(file, linkOnSite));
    }
    const notes = 'llms-full.txt has these pages in one file, without the API reference.';
    writeFileSync(`${outDir}/llms.txt`, llmsTxt(address, notes, [api]));
    writeFileSync(`${outDir}/llms-full.txt`, llmsFull(address, linkOnSite));
  },
});

/** The pages that api.js has written. */
function apiPages() {
  const folder = 'docs/reference/api';
  const files = readdirSync(new URL('reference/api', DOCS), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();
  const titleOf = (/** @type {string} */ file) =>
    file.slice(folder.length + 1, -'.md'.length).replace(/^index$/, 'API');
  return { text: 'API', files: files.map((file) => ({ title: titleOf(file), file })) };
}
