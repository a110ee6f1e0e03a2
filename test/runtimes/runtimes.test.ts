import { beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../judge.ts';
import { type Scenario, scenarios } from '../scenarios.ts';
import type { Seen } from '../server.ts';
import { BETWEEN, NOT_RUN } from './cell-names.ts';
import { columns } from './columns.ts';
import type { Relative } from './relative.ts';
import { expectedOf, gridRows, titleOf } from './rows.ts';
import type { Jobs, Met } from './runner.ts';
import { situations } from './situations.ts';
import { slotServer } from './slot-server.ts';
import { CROWD_SLOTS } from './slots.ts';
import { troubles } from './trouble.ts';
import { upstreams } from './upstreams.ts';

const cells = columns.flatMap((column) =>
  gridRows.map((row) => ({ title: column.name + BETWEEN + titleOf(row), column, row })),
);

describe.each(cells)('$title', ({ column, row }) => {
  const { name } = column;
  const why = row.skipIn(name) ?? column.missing;
  if (why !== undefined) return void test(NOT_RUN, ({ skip }) => skip(why));

  const leftOut = (scenario: Scenario): string | undefined => row.skip?.(scenario);
  const isFetch = row.name === 'fetch';
  let runs: Jobs['play'][1];
  let seen: readonly (readonly Seen[])[];
  let met: readonly Met[];
  let slots: Jobs['slots'][1];
  let slowAtOnce: number;
  let relative: Relative;

  beforeAll(async () => {
    await using servers = await upstreams((scenario) => leftOut(scenario) !== undefined);
    await using runtime = await column.start(row.source);
    runs = await runtime.perform('play', servers.plan);
    seen = servers.all.map((server) => server.seen);
    await using server = await slotServer();
    slots = await runtime.perform('slots', server.url);
    slowAtOnce = server.slowAtOnce();
    if (!isFetch) return;
    if (name === 'Chromium') relative = await runtime.perform('relative', undefined);
    await using troubled = await troubles();
    met = await runtime.perform('meet', troubled);
  }, 60_000);

  test.for(scenarios.map((scenario, at) => [scenario.name, scenario, at] as const))(
    '%s',
    ([, scenario, at], { skip }) => {
      const reason = leftOut(scenario);
      if (reason !== undefined) skip(reason);
      const run = runs[at];
      if (run == null) throw new Error('it was not run');
      judge(expectedOf(scenario, row, name), run, seen[at] ?? []);
    },
  );

  test('the history of each response', ({ skip }) => {
    if (row.noHistory !== undefined) skip(row.noHistory);
    for (const run of runs) if (run?.got !== undefined) expect(run.history).toBeDefined();
  });

  test.for(row.slots.map((slot, at) => [slot.name, slot, at] as const))(
    'a slot is freed after %s',
    ([, { gives, refusedIn }, at], { skip }) => {
      const refusal = refusedIn?.[name];
      if (refusal !== undefined) skip(refusal);
      expect(slots.runs[at]).toEqual({ ...(gives !== undefined && { gave: gives }), inUse: 0 });
    },
  );

  test('concurrent calls never exceed the number of slots', () => {
    expect(slots.crowd.inUse).toBe(0);
    expect(slowAtOnce).toBeLessThanOrEqual(CROWD_SLOTS);
    expect(slowAtOnce).toBeGreaterThan(1);
  });

  test('garbage was collected meanwhile', ({ skip }) => {
    if (name === 'workerd') skip('it has no function that collects garbage');
    expect(slots.crowd.isCollected).toBe(true);
  });

  if (!isFetch) return;

  test.each(situations.map((situation, at) => [situation.name, situation, at] as const))(
    '%s',
    (_, situation, at) => {
      const { kind, error } = met[at] as Met;
      expect(kind, error).toBe(situation.but?.[name]?.kind ?? situation.kind);
    },
  );

  test('relative URLs are resolved against the page, and share its bucket', ({ skip }) => {
    if (name !== 'Chromium') skip('only a page resolves relative URLs');
    expect(relative.statuses).toEqual([200, 200, 200, 200, 200]);
    expect(relative.keys).toEqual([relative.origin]);
  });
});
