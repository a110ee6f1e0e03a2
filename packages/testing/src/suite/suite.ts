import { virtualClock } from '@ebb/core/testing';
import type { AdapterUnderTest } from './adapter.ts';
import { connectionRows } from './connections.ts';
import { judge } from './judge.ts';
import { hangs, hung, isUnobservable, NOW, play, type Run } from './play.ts';
import { type Ability, needsOf, type Row } from './row.ts';
import { table } from './table.ts';
import { upstreamsOf } from './upstream.ts';

/** A row as one adapter has to pass it. */
export interface AdapterRow {
  readonly name: string;
  /** Why it is skipped; `undefined` if it is not. */
  readonly skipped: string | undefined;
  /** @throws Error that lists all differences */
  run(): Promise<void>;
}

/** The functions of a test runner. Those of `node:test`, Vitest, Jest, Bun and `Deno.test` fit. */
export interface Runner {
  /** Groups the tests; without it the name of each begins with that of the adapter. */
  describe?(name: string, define: () => void): unknown;
  readonly test: {
    (name: string, run: () => Promise<void>): unknown;
    skip?(name: string, run: () => Promise<void>): unknown;
    /** As `Deno.test` calls it. */
    ignore?(name: string, run: () => Promise<void>): unknown;
  };
}

/** The row with what the adapter does in its own way. */
function expectedOf(row: Row, { does = [], differs = {} }: AdapterUnderTest): Row {
  const { why: _, ...different } = differs[row.name] ?? { why: '' };
  return Object.assign({ ...row }, ...does.map((trait) => row.by?.[trait]), different);
}

/** Plays a row, and once more without an observer if that is possible: most requests of users are sent so. */
async function runRow(given: Row, adapter: AdapterUnderTest): Promise<void> {
  const row = expectedOf(given, adapter);
  await runOnce(row, adapter, true);
  if (isUnobservable(row)) await runOnce(row, adapter, false);
}

async function runOnce(row: Row, adapter: AdapterUnderTest, isObserved: boolean): Promise<void> {
  const clock = virtualClock({ startMs: NOW });
  const caller = new AbortController();
  const onHang = hangs(row) ? () => hung(row, clock, caller) : undefined;
  const upstream = await upstreamsOf(adapter)(row.script, onHang);
  let run: Run;
  try {
    run = await play(row, (policy) => adapter.client(policy), clock, upstream.url, caller, isObserved);
  } finally {
    await upstream.close();
  }
  const { timeoutError = 'TimeoutError', lacks } = adapter;
  judge(row, run, upstream.seen, { timeoutError, hasHistory: lacks?.history === undefined });
}

const MOCKED = 'a mock cannot misbehave as a server does';

function whySkipped(name: string, needs: readonly Ability[], adapter: AdapterUnderTest): string | undefined {
  const { skips, mock, upstream } = adapter;
  const isMocked = mock !== undefined && upstream === undefined;
  const lacks = { ...adapter.lacks, ...(isMocked && { sockets: MOCKED }) };
  const lacking = needs.find((need) => lacks[need] !== undefined);
  return skips?.[name] ?? (lacking && lacks[lacking]);
}

/** @throws TypeError if the adapter names a row that is not there */
function checkNames({ skips, differs, name }: AdapterUnderTest, rows: readonly AdapterRow[]): void {
  const known = new Set(rows.map((row) => row.name));
  const unknown = [...Object.keys(skips ?? {}), ...Object.keys(differs ?? {})].find((one) => !known.has(one));
  if (unknown !== undefined) throw new TypeError(`${name}: the suite has no row "${unknown}"`);
}

/**
 * The rows of the suite for an adapter, for programs without a test runner.
 *
 * @throws TypeError if `skips` or `differs` name a row that is not there
 */
export function rowsFor(adapter: AdapterUnderTest): readonly AdapterRow[] {
  const rows = [
    ...table.map((row) => ({
      name: row.name,
      skipped: whySkipped(row.name, needsOf(row), adapter),
      run: () => runRow(row, adapter),
    })),
    ...connectionRows.map(({ name, needs, run }) => ({
      name,
      skipped: whySkipped(name, needs, adapter),
      run: () => run(adapter, upstreamsOf(adapter)),
    })),
  ];
  checkNames(adapter, rows);
  return rows;
}

/**
 * Defines a test for each row. A row is skipped only for a reason that the adapter gives, which is part of the name of its test.
 *
 * @throws TypeError if `skips` or `differs` name a row that is not there
 */
export function suite({ describe, test }: Runner, adapter: AdapterUnderTest): void {
  const rows = rowsFor(adapter);
  const define = (prefix: string): void => {
    for (const { name, skipped, run } of rows) {
      if (skipped === undefined) {
        test(prefix + name, run);
        continue;
      }
      const title = `${prefix}${name} (skipped: ${skipped})`;
      if (test.skip !== undefined) test.skip(title, run);
      else if (test.ignore !== undefined) test.ignore(title, run);
      else test(title, async () => undefined);
    }
  };
  if (describe === undefined) define(`${adapter.name}: `);
  else describe(adapter.name, () => define(''));
}
