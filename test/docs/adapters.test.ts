import { expect, it } from 'vitest';
import { conformanceChecks } from '../../src/testing/index.js';
import { read } from './pages.js';

it('the guide to adapters lists the checks of the conformance kit', () => {
  const listed = [...read('docs/adapters.md').matchAll(/^\| `([\w-]+)` \| (.+?) \|$/gm)]
    .filter(([line]) => line.split('|').length === 4)
    .map(([, id, title]) => ({ id, title }));
  expect(listed).toEqual(conformanceChecks);
});
