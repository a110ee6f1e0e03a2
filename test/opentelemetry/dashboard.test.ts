import { readFileSync } from 'node:fs';
import { adaptiveThrottle, concurrencyLimit, constant, retryBudget, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { observe, telemetry } from '@ebb/opentelemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upstream } from '../server.ts';
import { until } from '../until.ts';
import { type Point, type Recorder, recorder } from './recorder.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: Readonly<Record<'h' | 'w' | 'x' | 'y', number>>;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync('packages/opentelemetry/dashboard.json', 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
};

const readme = readFileSync('packages/opentelemetry/README.md', 'utf8');

/** Everything that the package exports. */
let points: readonly Point[];
let record: Recorder;
beforeAll(async () => {
  record = recorder();
  const { meter } = record.sdk;
  const onEvent = telemetry(record.sdk);
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, nonConforming: 'mark' });
  const server = await upstream([{ status: 503 }, 'reset', { status: 200 }]);
  await createFetch({ bucket, backoff: constant(0), onEvent, maxRetries: 3 })(server.url);
  const clock = virtualClock({ startMs: 0 });
  const slow = tokenBucket({ capacity: 1, refillPerSecond: 1, clock });
  slow.tryAcquire();
  const waiting = createFetch({ bucket: slow, clock, onEvent })(server.url);
  await until(() => slow.stats().waiting === 1);
  await clock.advance(1000);
  await waiting;
  await server.close();
  const request = { method: 'GET', url: server.url };
  const told = { request, attempt: 1, atMs: 0 };
  onEvent({ ...told, type: 'attempt-skipped', delayMs: 5 });
  onEvent({ ...told, type: 'hedge', delayMs: 5, sent: true, won: true, outcome: undefined });
  onEvent({ ...told, type: 'resume-end', result: 'continued', passedBytes: 5 });
  const shared = {
    stats: () => ({
      ...{ ...bucket.stats(), mode: 'shared', share: 0.5, processes: 2, leased: 5 },
      ...{ calls: 7, callMs: 3, losses: { timeout: 1 }, recoveries: 1 },
    }),
  };
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const budget = Object.assign(retryBudget(), { stats: () => ({ mode: 'shared', calls: 3 }) });
  observe({ bucket: shared, concurrency, budget, throttle: adaptiveThrottle(), meter });
  points = await record.points();
});
afterAll(() => record.close());

/** The names that Prometheus gives a metric in OTLP: units in braces are left out, others are a suffix. */
function prometheusNames({ name, unit, value }: Point): string[] {
  const isGauge =
    /^ebb\.client\.((bucket|slots|budget)\.|throttle\.)/.test(name) &&
    !/\.(calls|call\.time|losses|recoveries)$/.test(name);
  const suffixes: Readonly<Record<string, string>> = { s: '_seconds', 1: '_ratio' };
  const base = name.replaceAll('.', '_') + (suffixes[unit] ?? '');
  if (typeof value !== 'number') return [`${base}_bucket`, `${base}_count`, `${base}_sum`];
  return [isGauge ? base : `${base}_total`];
}

/** The metrics as Prometheus knows them, with their labels. */
function known(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const point of points) {
    const labels = Object.keys(point.attributes).map((name) => name.replaceAll('.', '_'));
    for (const name of prometheusNames(point)) {
      all.set(name, new Set([...(all.get(name) ?? []), ...labels]));
    }
  }
  return all;
}

/** By their names after a way by OTLP. A scrape of `@opentelemetry/exporter-prometheus` leaves units out: see test/grafana. */
const metricsIn = (text: string): string[] =>
  text.replace(/\((_seconds|_ratio)\)\?/g, '$1').match(/\bebb_client_\w+/g) ?? [];

/** The labels that a query groups by or selects, without those of Prometheus itself. */
function labelsIn(text: string): string[] {
  const grouped = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));
  const selected = [...text.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, name = '']) => name);
  return [...grouped, ...selected].filter((name) => !['le', '__name__'].includes(name));
}

const queries = dashboard.panels.flatMap(({ title, targets }) => {
  return targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat }));
});

describe('dashboard.json', () => {
  test.each(queries)('$title: $expr', ({ expr, legendFormat }) => {
    const metrics = metricsIn(expr);
    expect(metrics).not.toEqual([]);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
    for (const name of metrics) {
      expect([...known().keys()]).toContain(name);
      // A scrape adds job and instance.
      const labels = [...(known().get(name) ?? []), 'job', 'instance'];
      expect(labels).toEqual(expect.arrayContaining([...labelsIn(expr), ...shown]));
    }
  });

  test('its variables exist: metrics, labels, and what queries use', () => {
    const { list } = dashboard.templating;
    for (const { definition } of list.filter((variable) => variable.definition !== undefined)) {
      const [, metric = '', label] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? [];
      expect([...(known().get(metric) ?? [])]).toContain(label);
    }
    const used = JSON.stringify(queries).match(/\$(?!__)\w+/g) ?? [];
    expect(list.map(({ name }) => `$${name}`)).toEqual(expect.arrayContaining([...new Set(used)]));
  });

  test('it shows every metric', () => {
    const shown = new Set(queries.flatMap(({ expr }) => metricsIn(expr)));
    const missing = points.filter((point) => !prometheusNames(point).some((name) => shown.has(name)));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('the package contains it, and the alerts', () => {
    const { files } = JSON.parse(readFileSync('packages/opentelemetry/package.json', 'utf8'));
    expect(files).toEqual(expect.arrayContaining(['dashboard.json', 'alerts.yml']));
  });

  test('no panels share an id or a place', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
  });
});

test('the README has each metric once, with its unit', () => {
  const rows = [...readme.matchAll(/^\| `(ebb\.client\.[\w.]+)` \|(?: \w+ \|)? `([^`]+)` \|/gm)];
  const units = new Map(points.map(({ name, unit }) => [name, unit]));
  expect(rows.map(([, name]) => name).sort()).toEqual([...units.keys()].sort());
  for (const [, name = '', unit] of rows) expect(unit, name).toBe(units.get(name));
});
