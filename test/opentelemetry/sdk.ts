import { context, metrics, propagation, type SpanContext, SpanKind, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { onTestFinished } from 'vitest';
import { type OpenTelemetryOptions, startOpenTelemetry } from '../../src/opentelemetry/index.js';

/** Sets up the SDK as an application does, with exporters in memory, until the test ends. */
export function startSdk(options?: OpenTelemetryOptions) {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const telemetry = startOpenTelemetry(options);
  onTestFinished(async () => {
    telemetry.stop();
    await reader.shutdown();
    for (const api of [trace, context, propagation, metrics]) api.disable();
  });

  return {
    telemetry,
    spans: (): readonly ReadableSpan[] => exporter.getFinishedSpans(),
    names: (): string[] => exporter.getFinishedSpans().map(({ name }) => name),
    /** The values of each metric, by its name. */
    async metrics() {
      metricExporter.reset();
      await reader.forceFlush();
      const found = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      return new Map(
        found.flatMap(({ metrics: all }) =>
          all.map(({ descriptor, dataPoints }) => [
            descriptor.name,
            dataPoints.map(({ attributes, value }) => ({
              ...attributes,
              value: typeof value === 'object' && 'count' in value ? value.count : value,
            })),
          ]),
        ),
      );
    },
  };
}

/** A span, as tests and other processes print it. */
export interface PlainSpan {
  readonly name: string;
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly traceId: string;
  readonly startedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const KINDS = Object.fromEntries(Object.entries(SpanKind).map(([name, kind]) => [String(kind), name]));

/** A span as plain data. */
export const toPlain = (span: ReadableSpan): PlainSpan => ({
  name: span.name,
  kind: String(KINDS[String(span.kind)]).toLowerCase(),
  id: span.spanContext().spanId,
  parentId: span.parentSpanContext?.spanId ?? null,
  traceId: span.spanContext().traceId,
  startedAt: span.startTime[0] * 1e9 + span.startTime[1],
  attributes: span.attributes,
});

/** Draws spans as a tree, in the order of their start. A missing parent is omitted. */
export function drawTree(spans: readonly PlainSpan[]): string {
  const sorted = [...spans].sort((one, other) => one.startedAt - other.startedAt);
  const ids = new Set(sorted.map(({ id }) => id));
  const childrenOf = (id: string | null) =>
    sorted.filter(({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : null) === id);
  const draw = (span: PlainSpan, indent: string, branch: string, below: string): string[] => {
    const children = childrenOf(span.id);
    return [
      `${indent}${branch}${span.name} · ${span.kind}`,
      ...children.flatMap((child, index) =>
        index === children.length - 1
          ? draw(child, indent + below, '└─ ', '   ')
          : draw(child, indent + below, '├─ ', '│  '),
      ),
    ];
  };
  return childrenOf(null)
    .flatMap((root) => draw(root, '', '', ''))
    .join('\n');
}

/** The header with which a sender continues its trace. */
export const traceparentOf = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`;
