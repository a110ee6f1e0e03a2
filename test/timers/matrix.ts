import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pairs } from '../pairs.ts';
import { NO_DATE, type Row } from './fakes.ts';
import { type Entry, HANGS, type Played, situationsOf, TICKS_A_UNIT, WHENS, type When } from './play.ts';
import type { Situation } from './situations.ts';

const program = fileURLToPath(new URL('process.ts', import.meta.url));

/** In a process of its own, which must end by itself. */
export async function playInProcess({ name }: Row, when: When, entry: Entry): Promise<Played[]> {
  const conditions = entry === 'Node' ? ['@ebb/source'] : ['@ebb/source', 'ebb-web'];
  const args = ['--no-warnings', ...conditions.map((each) => `--conditions=${each}`)];
  const run = promisify(execFile)(process.execPath, [...args, program, name, when, entry], {
    timeout: 50_000,
  });
  const { killed, stdout } = await run.then(
    (ended) => ({ ...ended, killed: false }),
    (error: { readonly killed?: boolean; readonly stdout: string }) => {
      if (!error.killed || error.stdout === '') throw error;
      return error;
    },
  );
  const played = JSON.parse(stdout) as Played[];
  // What hangs may keep the process alive, and is an error of its own.
  if (killed && played.every(({ result }) => result !== HANGS))
    throw new Error('the process does not end: a timer of Node is left');
  return played;
}

/** A time that may be two ticks late counts as that at which it was due. */
const onTime = (at: number, dueAt: number | undefined = at): number =>
  at > dueAt && at <= dueAt + 2.5 / TICKS_A_UNIT ? dueAt : at;

function resultsOf({ result, resultAtOnce = result }: Situation, stub: Row['stub']): unknown[] {
  // A timer of 0 ms may come before or after a turn of the event loop.
  return { none: [result], 'at once': [resultAtOnce], '0 ms': [result, resultAtOnce] }[stub ?? 'none'];
}

function judge(row: Row, when: When, situation: Situation, played: Played): void {
  const { stub } = row;
  const { endsAt, isTight, sentAtWithoutDate = situation.sentAt } = situation;
  const sentAt = row.late === NO_DATE ? sentAtWithoutDate : situation.sentAt;
  if (when === 'before, and no more') {
    expect(played.result).toEqual(situation.result);
    if (!isTight) expect(played.sentAt).toHaveLength(sentAt.length);
    return;
  }
  expect(resultsOf(situation, stub)).toContainEqual(played.result);
  // Some fakes do not say how many they have.
  expect(played.pending ?? 0).toBe(0);
  if (stub !== undefined) {
    expect(played.sentAt).toHaveLength(sentAt.length);
    return;
  }
  const at = row.late === undefined ? (time: number): number => time : onTime;
  expect(played.sentAt.map((time, which) => at(time, sentAt[which]))).toEqual(sentAt);
  if (endsAt !== undefined) expect(at(played.endsAt, endsAt)).toBe(endsAt);
}

/** A test for each situation under these fakes. */
export function describeCells(row: Row, when: When, entry: Entry, playThem: typeof playInProcess): void {
  describe(`${row.name}, ${when}${entry === 'Node' ? '' : `, for ${entry}`}`, () => {
    let played: Played[] = [];
    beforeAll(async () => {
      played = await playThem(row, when, entry);
    });

    test.each(situationsOf(entry).map((situation, which) => [situation.name, situation, which] as const))(
      '%s',
      (_, situation, which) => judge(row, when, situation, played[which] as Played),
    );
  });
}

/** Pairs of row, entry and time, each in a process of its own. */
export function describeRows(rows: readonly Row[]): void {
  const cells = rows.flatMap((row) =>
    (['Node', 'browsers'] as const).flatMap((entry) => WHENS.map((when) => ({ row, when, entry }))),
  );
  for (const { row, when, entry } of pairs(cells, ({ row, when, entry }) => [row.name, when, entry]))
    describeCells(row, when, entry, playInProcess);
}
