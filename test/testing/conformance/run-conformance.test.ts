import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { tinyDesk } from '../../../examples/custom-adapter/adapter.js';
import { harness, settingsFor } from '../../../examples/custom-adapter/harness.js';
import {
  type AdapterHarness,
  type ConformanceResult,
  conformanceChecks,
  describeAdapter,
  runConformance,
  type TestFramework,
} from '../../../src/testing/index.js';

const createAdapter = (site: Parameters<typeof settingsFor>[0]) => tinyDesk(settingsFor(site));

/** A test framework that records its suites and tests. */
function recordingFramework() {
  const tests: Parameters<TestFramework['it']>[] = [];
  const suites: string[] = [];
  return {
    tests,
    suites,
    describe: (title: string, define: () => void) => {
      suites.push(title);
      define();
    },
    it: (...given: Parameters<TestFramework['it']>) => void tests.push(given),
  };
}

async function results(changed: Partial<AdapterHarness>, only: readonly string[]) {
  const all: ConformanceResult[] = [];
  for await (const result of runConformance(createAdapter, { ...harness, ...changed }, { only }))
    all.push(result);
  return all;
}

it('defines a test for every check, with a timeout derived from the step timeout', () => {
  const framework = recordingFramework();
  describeAdapter(createAdapter, { ...harness, stepTimeoutMs: 100 }, framework);
  expect(framework.suites).toEqual(['the adapter for Tiny Desk']);
  expect(framework.tests.map(([title]) => title)).toEqual(conformanceChecks.map(({ title }) => title));
  expect(framework.tests.every(([, { timeout }]) => timeout === 600)).toBe(true);
});

it('skips checks of unsupported features and prints the reason', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const framework = recordingFramework();
  const unsupported = { note: 'there are no notes.' };
  describeAdapter(createAdapter, { ...harness, unsupported }, { ...framework, only: ['internal-note'] });
  const skip = vi.fn();
  await framework.tests[0]?.[2]({ skip });
  expect(skip).toHaveBeenCalledWith('there are no notes.');
  expect(log).toHaveBeenCalledWith(
    'skipped for Tiny Desk: internal notes do not reach the user: there are no notes.',
  );
  log.mockRestore();
});

it('throws the failure of a check', async () => {
  const framework = recordingFramework();
  const broken = (site: Parameters<typeof createAdapter>[0]) => ({
    ...createAdapter(site),
    close: async () => {},
  });
  describeAdapter(broken, { ...harness, stepTimeoutMs: 50 }, { ...framework, only: ['close'] });
  await expect(framework.tests[0]?.[2]({ skip: () => {} })).rejects.toMatchObject({
    code: 'NOT_CONFORMING',
    message: expect.stringMatching(
      /^close closes the conversation.*\nWhat happened: .*\nWhat was expected: /,
    ),
  });
});

it('requires the functions of a test framework', () => {
  expect(() => describeAdapter(createAdapter, harness)).toThrow(
    /found no global describe: pass the functions/,
  );
});

it('yields the result of each check', async () => {
  expect(await results({}, ['open', 'find-nothing'])).toMatchObject([
    { id: 'open', outcome: 'passed', reason: null, error: null },
    { id: 'find-nothing', outcome: 'passed' },
  ]);
  expect(await results({ unsupported: { open: 'not today.' } }, ['open'])).toMatchObject([
    { outcome: 'skipped', reason: 'not today.' },
  ]);
});

it('fails if the harness lacks an action without a reason', async () => {
  const start: AdapterHarness['start'] = async (site) => {
    const helpdesk = await harness.start(site);
    return { ...helpdesk, agent: { reply: (id, text) => helpdesk.agent.reply(id, text) } };
  };
  const [result] = await results({ start }, ['internal-note']);
  expect(result?.error?.message).toContain('no agent.note, and unsupported.note does not say why');
});

it('reports a helpdesk that cannot be started', async () => {
  const start = () => Promise.reject(new Error('no such desk'));
  const [result] = await results({ start }, ['open']);
  expect(result?.error?.message).toContain('the check was interrupted: an error: no such desk');
});

it('refuses unknown names and empty reasons', async () => {
  await expect(results({}, ['opening'])).rejects.toThrow(/unknown check opening/);
  await expect(results({ unsupported: { notes: 'none' } }, [])).rejects.toThrow(
    /unsupported.notes is neither/,
  );
  await expect(results({ unsupported: { note: ' ' } }, [])).rejects.toThrow(
    /unsupported.note must be the reason/,
  );
});

it('receives webhooks on the configured port in every check', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: webhookPort } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const urls: string[] = [];
  const start: AdapterHarness['start'] = (site) => {
    urls.push(site.webhookUrl);
    return harness.start(site);
  };
  const all = await results({ start, webhookPort }, ['joined', 'own-echo']);
  expect(all.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  expect(urls).toEqual([`http://127.0.0.1:${webhookPort}/`, `http://127.0.0.1:${webhookPort}/`]);
});

it('keeps to the rate limits of a live helpdesk, and of no fake', async () => {
  const rate = { overall: { count: 1, perMs: 3_600_000 } };
  const limited = (site: Parameters<typeof createAdapter>[0]) => {
    const adapter = createAdapter(site);
    return { ...adapter, capabilities: { ...adapter.capabilities, rate } };
  };
  const run = async (changed: Partial<AdapterHarness>) => {
    for await (const result of runConformance(limited, { ...harness, ...changed }, { only: ['overlong'] }))
      return result.outcome;
    return null;
  };
  expect(await run({ stepTimeoutMs: 30_000 })).toBe('passed');
  expect(await run({ live: true, stepTimeoutMs: 1_000 })).toBe('failed');
});
