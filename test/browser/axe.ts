import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The accessibility violations of a page, one line each: of all rules, or of some. The debugger injects axe, past the page's policy. */
export async function axeViolations(page: Page, rules: readonly string[] = TAGS): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(SOURCE);
  return page.evaluate<
    string[]
  >(`axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + ' at ' + target.join(' ') + ': ' + failureSummary)))`);
}
