import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const STYLES = new URL('../../src/desk/page/src/styles/', import.meta.url);

/** Components that have other components in them, such as menus. */
const CONTAINERS =
  /\.(desk|top-bar|list-head|panes|pane|main-pane|inbox|group|bulk|conversation|conversation-header|columns|talk|composer)(?![\w-])/;

/** An element without a class or an attribute. */
const BARE = /^([a-z][a-z0-9]*|:is\([a-z, 0-9]*\))(:[\w-]+(\([^)]*\))?)*$/;

/** Whether a rule of a container reaches elements of any depth, and so those of the components in it. */
function reachesOthers(selector: string): boolean {
  const parts = selector.replaceAll(/\s*>\s*/g, '>').split(/\s+(?![^(]*\))/);
  return parts.some(
    (part, nth) =>
      nth > 0 && BARE.test(part.split('>')[0] ?? '') && CONTAINERS.test(parts.slice(0, nth).join(' ')),
  );
}

it('styles of a container do not reach the components in it', () => {
  expect(
    ['.inbox li', '.talk .x h2', '.bulk :is(a, button)', '.composer a:hover'].filter(reachesOthers),
  ).toHaveLength(4);
  expect(['.inbox > ul > li', '.talk .line', '.notice p', '.group > h2'].filter(reachesOthers)).toEqual([]);
  const selectors = readdirSync(STYLES).flatMap((name) =>
    readFileSync(new URL(name, STYLES), 'utf8')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split(/[{};]/)
      .flatMap((part) => part.split(/,(?![^(]*\))/))
      .map((each) => each.trim()),
  );
  expect(selectors.filter((selector) => selector.startsWith('.') && reachesOthers(selector))).toEqual([]);
});
