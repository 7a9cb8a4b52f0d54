// @ts-check
// llms.txt and llms-full.txt (https://llmstxt.org), of the site and of the package, which differ in their links alone.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { chapters, titleIn } from './chapters.js';
import { changeLinks } from './links.js';

const ROOT = new URL('../../', import.meta.url);
const read = (/** @type {string} */ file) => readFileSync(new URL(file, ROOT), 'utf8');
const { version, description } = JSON.parse(read('package.json'));

/** @typedef {{ text: string, files: { title: string, file: string }[] }} Section `file` is from the root. */

/** Translations, and what only few readers need: left out of llms-full.txt. */
const OPTIONAL = 'Optional';

/** Every page, in the order of reading. */
export function sections() {
  const untitled = (/** @type {string[]} */ files) =>
    files.map((file) => ({ title: titleIn(read(file)), file }));
  const markdownIn = (/** @type {string} */ folder) =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`);
  const adapters = readdirSync(new URL('src/adapters', ROOT)).sort();
  /** @type {Section[]} */
  const all = [
    { text: 'Overview', files: [{ title: 'What it does, and the words it uses', file: 'docs/index.md' }] },
    ...chapters().map(({ text, pages }) => ({
      text,
      files: pages.map(({ title, page }) => ({ title, file: `docs/${page}.md` })),
    })),
    { text: 'Adapters', files: untitled(adapters.map((name) => `src/adapters/${name}/README.md`)) },
    { text: OPTIONAL, files: untitled([...markdownIn('docs/zh'), 'examples/README.md', 'ARCHITECTURE.md']) },
  ];
  return all;
}

/** A page as plain Markdown: without the elements that only the site needs. */
export function markdownOf(
  /** @type {string} */ file,
  /** @type {(href: string, folder: string) => string} */ change,
) {
  const plain = read(file).replace(/^<\/?div.*>\n+/gm, '');
  return changeLinks(plain, (href) => change(href, posix.dirname(file)));
}

/** For generated pages, which begin with a remark about that. */
const SUMMARIES = new Map([
  ['docs/settings.md', 'Every setting of `handoff-kit serve`: variable, flag, meaning and default.'],
  ['docs/reference/cli.md', 'Every command, with its flags, examples and exit codes.'],
  ['docs/reference/events.md', 'Every field of every event.'],
  ['docs/reference/metrics.md', 'Every metric of Prometheus and OpenTelemetry.'],
  ['docs/reference/http.md', "The requests of the platform's own API, and their answers."],
  ['docs/reference/desk-api.md', "Every request of the desk's API, and its types."],
]);

/** The first sentence of a page, without links. */
function summaryOf(/** @type {string} */ file) {
  const written = SUMMARIES.get(file);
  if (written !== undefined) return written;
  const paragraphs = markdownOf(file, (href) => href).split(/\n{2,}/);
  const text = paragraphs.find((paragraph) => /^[\p{L}`[]/u.test(paragraph)) ?? '';
  const flat = text.replaceAll('\n', ' ').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return /^.+?(?:\.(?= |$)|。|$)/.exec(flat)?.[0].replace(/:$/, '.') ?? '';
}

/**
 * The index of all pages.
 *
 * @param {(file: string) => string} address
 * @param {string} notes What a reader should know first.
 * @param {Section[]} more Sections that only the site has.
 */
export function llmsTxt(address, notes, more = []) {
  const list = [...sections().filter(({ text }) => text !== OPTIONAL), ...more];
  list.push(...sections().filter(({ text }) => text === OPTIONAL));
  const written = list.map(({ text, files }) => {
    const lines = files.map(({ title, file }) => `- [${title}](${address(file)}): ${summaryOf(file)}`);
    return `## ${text}\n\n${lines.join('\n')}\n`;
  });
  return `# handoff-kit\n\n> ${description}\n\nVersion ${version}. ${notes}\n\n${written.join('\n')}`;
}

/**
 * All pages in one file, except for translations and the API reference.
 *
 * @param {(file: string) => string} address
 * @param {(href: string, folder: string) => string} change
 */
export function llmsFull(address, change) {
  return sections()
    .filter(({ text }) => text !== OPTIONAL)
    .flatMap(({ files }) => files)
    .map(({ file }) => `<!-- ${address(file)} -->\n\n${markdownOf(file, change).trim()}\n`)
    .join('\n');
}
