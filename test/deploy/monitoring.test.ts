import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Metric, Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { collectMetrics } from '../../src/metrics/index.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { describeWith } from '../helpers/requirement.js';
import { temporaryFolder } from '../standalone/databases.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<'summary' | 'runbook_url', string>>;
}
const alerts: readonly Alert[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(read('deploy/grafana/dashboard.json'));
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);

/** The labels of each metric that a receiver with every part registers, by the names of its series. */
async function exportedSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const registered = vi.spyOn(Registry.prototype, 'registerMetric');
  const delivery = sqlite({ file: join(temporaryFolder(), 'x.db') });
  const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, delivery, log: false });
  collectMetrics(receiver, { bridges: { slack: { stats: () => ({}) as never, isAvailable: () => true } } });
  await receiver.close();
  const metrics = registered.mock.calls.map(
    ([metric]) => metric as Metric & { name: string; labelNames: string[] },
  );
  registered.mockRestore();
  const series = new Map<string, readonly string[]>();
  for (const { name, labelNames } of metrics) {
    series.set(name, labelNames);
    // Histograms.
    for (const part of ['bucket', 'count', 'sum']) series.set(`${name}_${part}`, [...labelNames, 'le']);
  }
  return series;
}

/** The labels that Prometheus adds to every series. */
const OF_PROMETHEUS = ['job', 'instance'];

/** What is wrong with the metrics and labels of an expression. */
function problemsOf(expr: string, series: ReadonlyMap<string, readonly string[]>): string[] {
  const named = [...expr.matchAll(/\b((?:handoff_kit|process)_\w+)(?:\{([^}]*)\})?/g)];
  if (named.length === 0 && !/\bup\{/.test(expr)) return [`no metric: ${expr}`];
  const labels = named.flatMap(([, name = '']) => series.get(name) ?? []);
  const unknown = named
    .filter(([, name = '']) => !series.has(name))
    .map(([, name]) => `no such metric: ${name}`);
  const matched = named.flatMap(([, name = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*[=!]~?/g)]
      .map(([, label = '']) => label)
      .filter((label) => ![...(series.get(name) ?? []), ...OF_PROMETHEUS].includes(label))
      .map((label) => `${name} has no label ${label}`),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)]
    .flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
    .filter((label) => ![...labels, ...OF_PROMETHEUS].includes(label))
    .map((label) => `no such label: ${label}`);
  return [...unknown, ...matched, ...grouped];
}

describe('expressions of the alerts and the dashboard', () => {
  it('name metrics and labels that a receiver exports', async () => {
    const series = await exportedSeries();
    expect(series.size).toBeGreaterThan(15);
    const expressions = [...alerts, ...targets].map(({ expr }) => expr);
    expect(expressions.length).toBeGreaterThan(30);
    expect(expressions.flatMap((expr) => problemsOf(expr, series))).toEqual([]);
  });

  it('are checked: mistakes are found', async () => {
    const series = await exportedSeries();
    expect(
      ['handoff_kit_queue_ded > 0', 'sum by (que) (handoff_kit_queue_dead{agents="x"})', '1 > 0'].flatMap(
        (expr) => problemsOf(expr, series),
      ),
    ).toEqual([
      'no such metric: handoff_kit_queue_ded',
      'handoff_kit_queue_dead has no label agents',
      'no such label: que',
      'no metric: 1 > 0',
    ]);
  });

  it('of the dashboard have legends with labels that exist, and every metric is shown', async () => {
    const series = await exportedSeries();
    const all = new Set([...series.values()].flat().concat(OF_PROMETHEUS));
    const inLegends = targets.flatMap(({ legendFormat }) => [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]);
    expect(inLegends.map(([, label = '']) => label).filter((label) => !all.has(label))).toEqual([]);
    const shown = targets.map(({ expr }) => expr).join('\n');
    const metrics = [...series.keys()].filter((name) => !/_(bucket|count|sum)$/.test(name));
    expect(metrics.filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe('docs/runbook.md', () => {
  it('has an entry for each alert, to which the alert links, and no other', () => {
    const entries = [...read('docs/runbook.md').matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).toMatch(new RegExp(`/docs/runbook\\.md#${alert.toLowerCase()}$`));
    }
  });
});

const withPromtool = describeWith({
  name: 'promtool',
  found: spawnSync('promtool', ['--version']).status === 0,
  leavesOut: 'the checks of the alert rules by Prometheus',
  howToGet: 'install promtool (Debian: apt-get install prometheus)',
});
withPromtool('the alert rules', () => {
  it.each([
    ['are rules of Prometheus', ['check', 'rules', 'deploy/prometheus/alerts.yaml']],
    ['fire when they should', ['test', 'rules', 'test/deploy/alerts.yaml']],
  ])('%s', (_title, args) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: ROOT, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});
