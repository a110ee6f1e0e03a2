import { beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../judge.ts';
import type { Run } from '../play.ts';
import { forClient, scenarios } from '../scenarios.ts';
import type { Seen } from '../server.ts';
import { chromium } from './chromium.ts';
import { command } from './command.ts';
import type { Met } from './runner.ts';
import { situations } from './situations.ts';
import { troubles } from './trouble.ts';
import { upstreams } from './upstreams.ts';
import { workerd } from './workerd.ts';

const installed = (path: string): string => new URL(`../node_modules/${path}`, import.meta.url).pathname;
const deno = ['run', '--allow-all', '--no-config', '--quiet'];

const runtimes = [
  command('Node 22', installed('node22/bin/node')),
  command('Node 24', installed('../../node_modules/node/bin/node')),
  command('Node 26', installed('node26/bin/node')),
  command('Bun', installed('.bin/bun'), 'run'),
  command('Deno', installed('.bin/deno'), ...deno),
  chromium,
  workerd,
];

for (const { name, missing } of runtimes)
  if (missing !== undefined) console.warn(`fetch is not tested in ${name}: ${missing}.`);

describe.each(runtimes)('$name', ({ name, missing, start }) => {
  describe.skipIf(missing !== undefined)(missing === undefined ? 'fetch' : `SKIPPED: ${missing}`, () => {
    let runs: readonly Run[];
    let seen: readonly (readonly Seen[])[];
    let met: readonly Met[];

    beforeAll(async () => {
      await using servers = await upstreams();
      await using troubled = await troubles();
      await using runtime = await start();
      runs = await runtime.perform('play', servers.plan);
      seen = servers.all.map((server) => server.seen);
      met = await runtime.perform('meet', troubled);
    }, 60_000);

    test.each(scenarios.map((scenario, at) => [scenario.name, scenario, at] as const))(
      '%s',
      (_, scenario, at) => {
        judge(forClient(scenario, 'fetch', name), runs[at] as Run, seen[at] ?? []);
      },
    );

    test.each(situations.map((situation, at) => [situation.name, situation, at] as const))(
      '%s',
      (_, situation, at) => {
        const { kind, error } = met[at] as Met;
        expect(kind, error).toBe(situation.but?.[name]?.kind ?? situation.kind);
      },
    );
  });
});
