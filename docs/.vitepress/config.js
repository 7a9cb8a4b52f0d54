// @ts-check
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { linkOnSite } from './links.js';

const DOCS = new URL('../', import.meta.url);

/** @typedef {[text: string, page: string]} Page */

/** The pages by chapter. A page that is not written is left out; one that is not listed comes at the end. */
/** @type {[string, Page[]][]} */
const CHAPTERS = [
  [
    'Start',
    [
      ['Tutorial', 'tutorial'],
      ['Scaffold', 'scaffold'],
      ['Reaching a laptop', 'laptop'],
    ],
  ],
  [
    'Receive',
    [
      ['Events and handlers', 'events'],
      ['Hosts', 'hosts'],
      ['Credentials', 'credentials'],
      ['Delivery guarantees', 'delivery'],
      ['Several bots', 'several-bots'],
      ['The platform client', 'client'],
      ['The command line', 'command-line'],
      ['Testing', 'testing'],
    ],
  ],
  [
    'Where agents answer',
    [
      ['Helpdesks', 'helpdesks'],
      ['The desk', 'desk'],
      ['Security of the desk', 'desk-security'],
      ['Writing an adapter', 'adapters'],
    ],
  ],
  [
    'Operate',
    [
      ['Deployment', 'deployment'],
      ['Observability', 'observability'],
      ['Runbook', 'runbook'],
      ['Scaling', 'scaling'],
      ['Backup', 'backup'],
      ['Security', 'security'],
      ['Data protection', 'data-protection'],
      ['Troubleshooting', 'troubleshooting'],
      ['Upgrading', 'upgrading'],
    ],
  ],
  [
    'Reference',
    [
      ['Settings', 'settings'],
      ['Command line', 'reference/cli'],
      ['Events', 'reference/events'],
      ['Metrics', 'reference/metrics'],
      ['HTTP', 'reference/http'],
      ['API', 'reference/api/index'],
    ],
  ],
];

const listed = CHAPTERS.flatMap(([, pages]) => pages.map(([, page]) => page));
const others = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md') && name !== 'index.md')
  .map((name) => name.slice(0, -3))
  .filter((page) => !listed.includes(page));
if (others.length > 0) CHAPTERS.push(['More', others.map((page) => [titleOf(page), page])]);

function titleOf(/** @type {string} */ page) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(new URL(`${page}.md`, DOCS), 'utf8')) ?? [];
  return title ?? page;
}

const sidebar = CHAPTERS.map(([text, pages]) => ({
  text,
  items: pages
    .filter(([, page]) => existsSync(new URL(`${page}.md`, DOCS)))
    .map(([title, page]) => ({ text: title, link: `/${page.replace(/index$/, '')}` })),
}));

const { version } = JSON.parse(readFileSync(new URL('../package.json', DOCS), 'utf8'));

export default defineConfig({
  title: 'handoff-kit',
  description: 'Webhooks and human handoffs of chatbot platforms, for Node.',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcExclude: ['node_modules/**'],
  outDir: '.vitepress/dist',
  // A page names its own language; the switch leads to the tutorial, the only translated page.
  locales: {
    root: { label: 'English', lang: 'en' },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/tutorial',
      themeConfig: {
        nav: [{ text: '教程', link: '/zh/tutorial' }],
        sidebar: [
          {
            text: '开始',
            items: [
              { text: '教程', link: '/zh/tutorial' },
              { text: '英文文档', link: '/' },
            ],
          },
        ],
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
    i18nRouting: false,
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guides', link: '/events' },
      { text: 'Reference', link: '/settings' },
      { text: version, link: '/upgrading' },
    ],
    sidebar,
    outline: { level: [2, 3] },
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
  buildEnd({ outDir }) {
    copyFileSync(new URL('../openapi.json', DOCS), `${outDir}/openapi.json`);
  },
});
