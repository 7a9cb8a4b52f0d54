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

const make = (site: Parameters<typeof settingsFor>[0]) => tinyDesk(settingsFor(site));

/** A test framework that notes what it is given. */
function notingFramework() {
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
  for await (const result of runConformance(make, { ...harness, ...changed }, { only })) all.push(result);
  return all;
}

it('makes a test of each check, with time enough for it', () => {
  const framework = notingFramework();
  describeAdapter(make, { ...harness, stepTimeoutMs: 100 }, framework);
  expect(framework.suites).toEqual(['the adapter for Tiny Desk']);
  expect(framework.tests.map(([title]) => title)).toEqual(conformanceChecks.map(({ title }) => title));
  expect(framework.tests.every(([, { timeout }]) => timeout === 600)).toBe(true);
});

it('leaves out what the system lacks, and prints why', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const framework = notingFramework();
  const unsupported = { note: 'there are no notes.' };
  describeAdapter(make, { ...harness, unsupported }, { ...framework, only: ['internal-note'] });
  const skip = vi.fn();
  await framework.tests[0]?.[2]({ skip });
  expect(skip).toHaveBeenCalledWith('there are no notes.');
  expect(log).toHaveBeenCalledWith(
    'left out for Tiny Desk: an internal note is not leaked: there are no notes.',
  );
  log.mockRestore();
});

it('throws what is wrong with the adapter', async () => {
  const framework = notingFramework();
  const broken = (site: Parameters<typeof make>[0]) => ({ ...make(site), close: async () => {} });
  describeAdapter(broken, { ...harness, stepTimeoutMs: 50 }, { ...framework, only: ['close'] });
  await expect(framework.tests[0]?.[2]({ skip: () => {} })).rejects.toMatchObject({
    code: 'NOT_CONFORMING',
    message: expect.stringMatching(/^close ends the conversation.*\nWhat happened: .*\nWhat was expected: /),
  });
});

it('needs the functions of a test framework', () => {
  expect(() => describeAdapter(make, harness)).toThrow(/found no global describe: pass it/);
});

it('tells of each check what it came to', async () => {
  expect(await results({}, ['open', 'find-nothing'])).toMatchObject([
    { id: 'open', outcome: 'passed', reason: null, error: null },
    { id: 'find-nothing', outcome: 'passed' },
  ]);
  expect(await results({ unsupported: { open: 'not today.' } }, ['open'])).toMatchObject([
    { outcome: 'left-out', reason: 'not today.' },
  ]);
});

it('asks for a reason where the harness has no way to act', async () => {
  const start: AdapterHarness['start'] = async (site) => {
    const system = await harness.start(site);
    return { ...system, agent: { reply: (id, text) => system.agent.reply(id, text) } };
  };
  const [result] = await results({ start }, ['internal-note']);
  expect(result?.error?.message).toContain('no agent.note, and does not say in unsupported.note why');
});

it('says so when the system cannot be started, and leaves nothing running', async () => {
  const start = () => Promise.reject(new Error('no such desk'));
  const [result] = await results({ start }, ['open']);
  expect(result?.error?.message).toContain('the check could not go on: an error: no such desk');
});

it('refuses names that it does not know, and empty reasons', async () => {
  await expect(results({}, ['opening'])).rejects.toThrow(/there is no check opening/);
  await expect(results({ unsupported: { notes: 'none' } }, [])).rejects.toThrow(/unsupported names notes/);
  await expect(results({ unsupported: { note: ' ' } }, [])).rejects.toThrow(/unsupported.note must say why/);
});

it('takes webhooks on the port that the harness names, check after check', async () => {
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
