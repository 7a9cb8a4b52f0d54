import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADAPTER_NAMES } from '../../src/standalone/index.js';
import { allChecks } from '../../src/testing/conformance/checks/index.js';
import type { AdapterHarness } from '../../src/testing/index.js';
import { slackHarness } from '../adapters/slack/harness.js';
import { chatwootHarness } from '../fixtures/chatwoot/harness.js';
import { deskHarness } from '../fixtures/desk/harness.js';
import { intercomHarness } from '../fixtures/intercom/harness.js';
import { larkHarness } from '../fixtures/lark/harness.js';
import { liveChatHarness } from '../fixtures/livechat/harness.js';
import { zendeskHarness } from '../fixtures/zendesk/harness.js';
import { salesIqHarness } from '../fixtures/zoho-salesiq/harness.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/helpdesks.md'), 'utf8');

/** The cells of a table, by its first line. */
function cellsOf(heading: string): string[][] {
  const start = PAGE.indexOf(`${heading}\n`);
  const [, , ...lines] = PAGE.slice(start, PAGE.indexOf('\n\n', start)).split('\n');
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

const rows = cellsOf('| helpdesk | `ADAPTER` | supports |').map(
  ([system = '', setting = '', supports = '']) => {
    const [, folder = 'desk'] = /\(\.\.\/src\/adapters\/([\w-]+)\/README\.md\)/.exec(system) ?? [];
    return { folder, setting: /^`([\w-]+)`$/.exec(setting)?.[1] ?? null, supports };
  },
);

const verdicts = cellsOf('| adapter | verdict | verified by | checks | known limits |').map(
  ([name = '', verdict = '', verified = '', checks = '', limits = '']) => {
    return { folder: name.replaceAll('`', ''), verdict, verified, checks, limits };
  },
);

/** The conformance kit's features, by the table's words. */
const FEATURES = { names: 'name', notes: 'note', files: 'attach', joins: 'join', close: 'close' } as const;

/** Adapters whose harness can be loaded without the helpdesk. */
const HARNESSES: Readonly<Record<string, Pick<AdapterHarness, 'unsupported'>>> = {
  chatwoot: chatwootHarness('', {}),
  slack: slackHarness,
  lark: larkHarness('', {}),
  intercom: intercomHarness('', {}),
  zendesk: zendeskHarness('', {}),
  livechat: liveChatHarness('', {}),
  'zoho-salesiq': salesIqHarness('', {}),
  desk: deskHarness,
};

describe('the table of helpdesks', () => {
  it('lists every adapter once, by its folder and its setting', () => {
    const folders = readdirSync(join(ROOT, 'src/adapters'));
    expect(rows.map(({ folder }) => folder).sort()).toEqual([...folders, 'desk'].sort());
    const settings = rows.flatMap(({ setting }) => setting ?? []);
    expect(settings.sort()).toEqual([...ADAPTER_NAMES, 'desk'].sort());
    for (const { folder, setting } of rows) expect(setting ?? folder).toBe(folder);
  });

  it('has a verdict, evidence, checks and limits for each of them', () => {
    expect(verdicts.map(({ folder }) => folder).sort()).toEqual(rows.map(({ folder }) => folder).sort());
    for (const { verdict, limits } of verdicts) {
      expect(verdict).toMatch(/^[A-Z].*\.$/);
      expect(limits).not.toBe('');
    }
    expect(PAGE).toContain(`The conformance kit has ${allChecks.length} checks`);
  });

  it.each(verdicts.filter(({ folder }) => folder in HARNESSES))(
    'does not count checks of $folder that are skipped',
    ({ folder, checks }) => {
      const unsupported = Object.keys(HARNESSES[folder]?.unsupported ?? {});
      const run = allChecks.filter(({ id, needs = [] }) =>
        [id, ...needs].every((name) => !unsupported.includes(name)),
      );
      expect(Number(checks)).toBeGreaterThan(0);
      expect(Number(checks)).toBeLessThanOrEqual(run.length);
    },
  );

  it.each(verdicts.filter(({ folder }) => folder !== 'desk'))(
    'says how $folder is verified, as its tests do',
    ({ folder, verified }) => {
      const has = (file: string): boolean => existsSync(join(ROOT, 'test/adapters', folder, file));
      expect(verified).not.toBe('');
      expect(verified.startsWith('live: ')).toBe(has('live-conformance.test.ts'));
      expect(verified.startsWith('vendor contract: ')).toBe(has('vendor-contract.test.ts'));
      const guide = readFileSync(join(ROOT, 'src/adapters', folder, 'README.md'), 'utf8');
      expect(guide.includes('> **From documentation only.**')).toBe(
        verified.startsWith('from documentation only'),
      );
      const conformance = readdirSync(join(ROOT, 'test/adapters', folder)).filter((name) =>
        name.includes('conformance'),
      );
      expect(conformance).not.toEqual([]);
    },
  );

  it.each(rows.filter(({ folder }) => folder in HARNESSES))(
    'lists what $folder supports, as the conformance kit checks it',
    ({ folder, supports }) => {
      const unsupported = Object.keys(HARNESSES[folder]?.unsupported ?? {});
      const expected = Object.entries(FEATURES).flatMap(([word, feature]) =>
        unsupported.includes(feature) ? [] : word,
      );
      const listed = supports.split(', ').map((entry) => entry.split(' ')[0]);
      expect(listed).toEqual(expected);
    },
  );
});
