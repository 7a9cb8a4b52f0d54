// @ts-check
// The pages of the documentation in the order of reading, for the sidebar and for llms.txt.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const DOCS = new URL('../', import.meta.url);

/** @typedef {{ text: string, pages: { title: string, page: string }[] }} Chapter */

/** By chapter: the title in the sidebar, and the file without `.md`. */
/** @type {[string, [title: string, page: string][]][]} */
const LISTED = [
  [
    'Start',
    [
      ['Tutorial', 'tutorial'],
      ['Scaffold', 'scaffold'],
      ['Reaching a laptop', 'laptop'],
      ['For coding agents', 'coding-agents'],
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
      ['Knowledge in git', 'knowledge'],
      ['The command line', 'command-line'],
      ['Testing', 'testing'],
      ['Recordings', 'recordings'],
    ],
  ],
  [
    'Where agents answer',
    [
      ['Helpdesks', 'helpdesks'],
      ['The desk', 'desk'],
      ['The API of the desk', 'desk-api'],
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
      ['API of the desk', 'reference/desk-api'],
    ],
  ],
];

/** The chapters. A page that is not written is left out; one that is not listed comes at the end. */
export function chapters() {
  const listed = LISTED.flatMap(([, pages]) => pages.map(([, page]) => page));
  const others = readdirSync(DOCS)
    .filter((name) => name.endsWith('.md') && name !== 'index.md')
    .map((name) => name.slice(0, -'.md'.length))
    .filter((page) => !listed.includes(page))
    .sort();
  /** @type {Chapter[]} */
  const all = LISTED.map(([text, pages]) => ({
    text,
    pages: pages
      .map(([title, page]) => ({ title, page }))
      .filter(({ page }) => existsSync(new URL(`${page}.md`, DOCS))),
  }));
  const more = others.map((page) => ({
    title: titleIn(readFileSync(new URL(`${page}.md`, DOCS), 'utf8')),
    page,
  }));
  return more.length === 0 ? all : [...all, { text: 'More', pages: more }];
}

/** The first heading of a page. */
export function titleIn(/** @type {string} */ markdown) {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? '';
}
