// @ts-check
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

const { repository } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const REPOSITORY = (repository?.url ?? 'https://github.com/OWNER/handoff-kit').replace(/^git\+|\.git$/g, '');

/**
 * The address on the site of a link in a Markdown file of the repository. Pages of `docs` and their pictures, the guides
 * of adapters and openapi.json are on the site; other files are not, and their links lead to the repository.
 *
 * @param {string} href
 * @param {string} folder The folder of the file, from the root of the repository.
 */
export function linkOnSite(href, folder) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', ...anchor] = href.split(/(?=#)/);
  const target = posix.join(folder, path);
  const [, page] = /^docs\/(.+\.(?:md|png))$/.exec(target) ?? [];
  const [, adapter] = /^src\/adapters\/([\w-]+)\/README\.md$/.exec(target) ?? [];
  const address =
    (page && `/${page}`) ??
    (adapter && `/adapters/${adapter}.md`) ??
    { 'README.md': '/', 'openapi.json': '/openapi.json' }[target] ??
    `${REPOSITORY}/blob/main/${target}`;
  return address + anchor.join('');
}

/**
 * A Markdown file with other links. What is in code stays as it is.
 *
 * @param {string} markdown
 * @param {(href: string) => string} change
 */
export function changeLinks(markdown, change) {
  return markdown.replace(/^```.*?^```$|`[^`\n]*`|\]\(([^)\s]+)\)/gms, (found, href) =>
    href === undefined ? found : `](${change(href)})`,
  );
}
