import { expect, it } from 'vitest';
import { conformanceChecks } from '../../src/testing/index.js';
import { ADAPTER_DEFECTS } from '../testing/conformance/adapter-defects.js';
import { FULL_STACK_DEFECTS } from '../testing/conformance/full-stack-defects.js';
import { read } from './pages.js';

const DEFECTS = { ...ADAPTER_DEFECTS, ...FULL_STACK_DEFECTS };

it('the guide to adapters lists the checks of the conformance kit, and the defects that prove each', () => {
  const [, table = ''] =
    /^\| id \| what holds \| fails, for instance, if \|\n\|[-|]+\n((?:\|.*\n)+)/m.exec(
      read('docs/adapters.md'),
    ) ?? [];
  const expected = conformanceChecks.map(({ id, title }) => {
    const names = [DEFECTS[id] ?? []].flat().map(({ name }) => name);
    return `| \`${id}\` | ${title} | ${names.join('; ')} |\n`;
  });
  expect(table).toBe(expected.join(''));
});
