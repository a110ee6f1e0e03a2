import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, isInstalled, type Running, scraped, start } from './servers.ts';

// What an operator sees: a real Prometheus scrapes a program, and every panel of the dashboard has data.

const run = promisify(execFile);
const alerts = resolve('packages/opentelemetry/alerts.yml');
const dashboard = JSON.parse(readFileSync('packages/opentelemetry/dashboard.json', 'utf8')) as {
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
};

const hasPrometheus = isInstalled('prometheus') && isInstalled('promtool');
const SKIPPED = 'SKIPPED, since it is not installed:';

describe.skipIf(!hasPrometheus)(hasPrometheus ? 'Prometheus' : `${SKIPPED} Prometheus`, () => {
  let program: Awaited<ReturnType<typeof scraped>>;
  let prometheus: Running;
  beforeAll(async () => {
    program = await scraped();
    prometheus = await start('prometheus /-/ready', (port, folder) => {
      const config = {
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [alerts],
        scrape_configs: [{ job_name: 'busy', static_configs: [{ targets: [program.host] }] }],
      };
      const file = join(folder, 'prometheus.yml');
      // JSON is YAML.
      writeFileSync(file, JSON.stringify(config));
      const listen = `--web.listen-address=127.0.0.1:${port}`;
      return [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, listen, '--log.level=warn'];
    });
  }, 90_000);
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await program?.[Symbol.asyncDispose]();
  });

  async function ask(path: string, parameters: Readonly<Record<string, string>> = {}) {
    const answer = await fetch(`${prometheus.url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const { data, error } = (await answer.json()) as { readonly data: never; readonly error?: string };
    if (error !== undefined) throw new Error(error);
    return data;
  }

  const queries = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );

  test.each(queries)('%s: %s', async (_, expr) => {
    // What Grafana puts in: all servers, and four scrapes.
    const query = expr.replaceAll('$server', '.*').replaceAll('$__rate_interval', '4s');
    const value = await eventually(async () => {
      const { result }: { result: readonly { readonly value: readonly [number, string] }[] } = await ask(
        'query',
        { query },
      );
      // A quotient is NaN while nothing has happened.
      return result.map(({ value: [, text] }) => Number(text)).find(Number.isFinite);
    });
    expect(value).toBeTypeOf('number');
  });

  test('it takes the alerts, and can evaluate them', async () => {
    const names = readFileSync(alerts, 'utf8').match(/(?<=alert: )\w+/g) ?? [];
    expect(names.length).toBeGreaterThanOrEqual(4);
    const healthy = await eventually(async () => {
      const {
        groups,
      }: { groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] } =
        await ask('rules');
      const rules = groups.flatMap((group) => group.rules);
      expect(rules.filter(({ lastError }) => lastError)).toEqual([]);
      return rules.every(({ health }) => health === 'ok') ? rules.map(({ name }) => name) : undefined;
    });
    expect(healthy).toEqual(names);
  });

  test('promtool: each alert fires after its time, and not for what is normal', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', 'test/grafana/alerts.test.yml']);
    expect(stdout).toMatch(/SUCCESS/);
    const tested = readFileSync('test/grafana/alerts.test.yml', 'utf8');
    for (const name of readFileSync(alerts, 'utf8').match(/(?<=alert: )\w+/g) ?? [])
      expect(tested).toContain(name);
  });
});

const hasGrafana = isInstalled('grafana-server');

test.skipIf(!hasGrafana)(
  hasGrafana ? 'Grafana imports it' : `${SKIPPED} Grafana`,
  { timeout: 90_000 },
  async () => {
    await using grafana = await start('grafana-server /api/health', (port, folder) => [
      '--homepath=/usr/share/grafana',
      `cfg:server.http_port=${port}`,
      'cfg:server.http_addr=127.0.0.1',
      `cfg:paths.data=${folder}`,
      `cfg:paths.logs=${folder}`,
      'cfg:security.admin_password=admin',
    ]);
    const headers = { authorization: `Basic ${btoa('admin:admin')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ dashboard, overwrite: true });
    const imported = await fetch(`${grafana.url}/api/dashboards/db`, { method: 'POST', headers, body });
    expect(imported.status).toBe(200);
    const { uid } = (await imported.json()) as { readonly uid: string };
    const kept = await (await fetch(`${grafana.url}/api/dashboards/uid/${uid}`, { headers })).json();
    expect(kept).toMatchObject({ dashboard: { title: dashboard.title } });
    expect(kept.dashboard.panels).toHaveLength(dashboard.panels.length);
  },
);
