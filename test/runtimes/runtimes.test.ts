import { beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../judge.ts';
import type { Run } from '../play.ts';
import { forClient, scenarios } from '../scenarios.ts';
import type { Seen } from '../server.ts';
import { chromium } from './chromium.ts';
import { command } from './command.ts';
import type { Relative } from './relative.ts';
import type { Jobs, Met } from './runner.ts';
import { situations } from './situations.ts';
import { slotServer } from './slot-server.ts';
import { CROWD_SLOTS, slotRows } from './slots.ts';
import { troubles } from './trouble.ts';
import { upstreams } from './upstreams.ts';
import { workerd } from './workerd.ts';

const installed = (path: string): string => new URL(`../node_modules/${path}`, import.meta.url).pathname;
const deno = ['run', '--v8-flags=--expose-gc', '--allow-all', '--no-config', '--quiet'];

const runtimes = [
  command('Node 22', installed('node22/bin/node'), '--expose-gc'),
  command('Node 24', installed('../../node_modules/node/bin/node'), '--expose-gc'),
  command('Node 26', installed('node26/bin/node'), '--expose-gc'),
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
    let slots: Jobs['slots'][1];
    let slowAtOnce: number;
    let relative: Relative;

    beforeAll(async () => {
      await using servers = await upstreams();
      await using troubled = await troubles();
      await using runtime = await start();
      runs = await runtime.perform('play', servers.plan);
      seen = servers.all.map((server) => server.seen);
      if (name === 'Chromium') relative = await runtime.perform('relative', undefined);
      met = await runtime.perform('meet', troubled);
      await using server = await slotServer();
      slots = await runtime.perform('slots', server.url);
      slowAtOnce = server.slowAtOnce();
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

    test.each(slotRows.map((row, at) => [row.name, row, at] as const))(
      'a slot is freed after %s',
      (_, { gives }, at) => {
        expect(slots.runs[at]).toEqual({ ...(gives !== undefined && { gave: gives }), inUse: 0 });
      },
    );

    test('concurrent calls never exceed the number of slots while garbage is collected', () => {
      expect(slots.crowd).toBe(0);
      expect(slowAtOnce).toBeLessThanOrEqual(CROWD_SLOTS);
      expect(slowAtOnce).toBeGreaterThan(1);
    });

    test.runIf(name === 'Chromium')(
      'relative URLs are resolved against the page, and share its bucket',
      () => {
        expect(relative.statuses).toEqual([200, 200, 200, 200, 200]);
        expect(relative.keys).toEqual([relative.origin]);
      },
    );
  });
});
