import {
  type Attributes,
  context,
  type Meter,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** What a test says of a span: times are in milliseconds after the start of the test's clock. */
export interface Told {
  readonly name: string;
  readonly kind: string;
  readonly parent: string | undefined;
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly attributes: Attributes;
  readonly events: readonly string[];
}

/** One series of a metric; the value of a histogram is its count and its sum. */
export interface Point {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  readonly value: number | { readonly count: number; readonly sum: number | undefined };
}

/** The SDK of OpenTelemetry with exporters that keep what they are given. */
export interface Recorder {
  /** For the options of `telemetry`. */
  readonly sdk: { readonly tracer: Tracer; readonly meter: Meter };
  readonly traces: TracerProvider;
  readonly metrics: MeterProvider;
  spans(): readonly ReadableSpan[];
  /** In the order in which they started; of those that start together, the parent first. */
  told(startMs: number): Told[];
  /** Collects, and returns the series as they are now. */
  points(): Promise<Point[]>;
  /** Forgets the spans until now. */
  reset(): void;
  close(): Promise<void>;
}

export function recorder(): Recorder {
  const exporter = new InMemorySpanExporter();
  const traces = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  // A test collects by itself.
  const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 2 ** 31 - 1 });
  const metrics = new MeterProvider({ readers: [reader] });
  return {
    sdk: { tracer: traces.getTracer('test'), meter: metrics.getMeter('test') },
    traces,
    metrics,
    spans: () => exporter.getFinishedSpans(),
    told(startMs) {
      const spans = exporter.getFinishedSpans();
      const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
      const isRequest = ({ name }: ReadableSpan): number => (name === 'ebb.request' ? 0 : 1);
      return spans
        .toSorted((a, b) => msOf(a.startTime) - msOf(b.startTime) || isRequest(a) - isRequest(b))
        .map((span) => ({
          name: span.name,
          kind: SpanKind[span.kind],
          parent: nameOf.get(span.parentSpanContext?.spanId ?? ''),
          status: SpanStatusCode[span.status.code],
          fromMs: msOf(span.startTime) - startMs,
          toMs: msOf(span.endTime) - startMs,
          attributes: span.attributes,
          events: span.events.map(({ name, attributes }) =>
            [name, ...Object.values(attributes ?? {})].join(' '),
          ),
        }));
    },
    async points() {
      exported.reset();
      await reader.forceFlush();
      return exported.getMetrics().flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap(({ metrics: all }) =>
          all.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
            dataPoints.map(({ attributes, value }) => {
              if (typeof value === 'number') return { name, unit, attributes, value };
              return { name, unit, attributes, value: { count: value.count, sum: value.sum } };
            }),
          ),
        ),
      );
    },
    reset: () => exporter.reset(),
    async close() {
      await traces.shutdown();
      await metrics.shutdown();
    },
  };
}

function msOf([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1000 + nanos / 1e6;
}

/** Makes the active context follow `await`, as the SDK for Node does. */
export function followContexts(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => context.disable();
}
