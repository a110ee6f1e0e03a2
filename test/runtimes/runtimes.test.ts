import { rowsFor } from '@ebb/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { columns } from './columns.ts';
import { factsOf } from './facts.ts';
import type { Relative } from './relative.ts';
import { gridRows, titleOf } from './rows.ts';
import type { Jobs, Met, Verdict } from './runner.ts';
import { situations } from './situations.ts';
import { slotServer } from './slot-server.ts';
import { CROWD_SLOTS } from './slots.ts';
import { troubles } from './trouble.ts';
import { upstreams } from './upstreams.ts';

const cells = columns.flatMap((column) =>
  gridRows.map((row) => ({ title: `${column.name} › ${titleOf(row)}`, column, row })),
);

describe.each(cells)('$title', ({ column, row }) => {
  const { name } = column;
  const why = row.skipIn(name) ?? column.missing;
  if (why !== undefined) return void test('this cell', ({ skip }) => skip(why));

  const place = { row: row.name, version: row.version, runtime: name };
  const rows = rowsFor({ ...factsOf(place), name: row.name, client: () => expect.fail('it runs elsewhere') });
  const isFetch = row.name === 'fetch';
  let verdicts: Jobs['play'][1];
  let met: readonly Met[];
  let slots: Jobs['slots'][1];
  let slowAtOnce: number;
  let relative: Relative;

  beforeAll(async () => {
    await using servers = await upstreams();
    await using runtime = await column.start(row.source);
    verdicts = await runtime.perform('play', { control: servers.control, place });
    await using server = await slotServer();
    slots = await runtime.perform('slots', server.url);
    slowAtOnce = server.slowAtOnce();
    if (!isFetch) return;
    if (name === 'Chromium') relative = await runtime.perform('relative', undefined);
    await using troubled = await troubles();
    met = await runtime.perform('meet', troubled);
  }, 60_000);

  test.for(rows.map(({ name, skipped }, at) => [name, skipped, at] as const))(
    '%s',
    async ([, skipped, at], { skip, annotate }) => {
      if (skipped !== undefined) skip(skipped);
      const { state, wrong } = verdicts[at] as Verdict;
      expect(state, wrong.join('\n')).toBe('passed');
      for (const first of wrong) await annotate(first);
    },
  );

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
