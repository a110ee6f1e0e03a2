// Bundled, and run in each runtime: nothing of Node's stands here.
import { failureKind } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { fetchClient } from '../fetch-client.ts';
import { NOW, play, type Run } from '../play.ts';
import { forClient, type Scenario, scenarios } from '../scenarios.ts';
import { askRelatively, type Relative } from './relative.ts';
import { situations, type Troubles } from './situations.ts';
import { useSlots } from './slots.ts';
import { unlessStuck } from './stuck.ts';

/** Where the upstream of each scenario is, in the order of the table, and what tells of their hangs. */
export interface Plan {
  readonly urls: readonly string[];
  /** Answers a GET of `?scenario=` and its index when that one's upstream hangs, once for each time. */
  readonly hangs: string;
}

/** What a runtime made of a situation. */
export interface Met {
  readonly kind: string;
  /** The error as it was, for the reader of a row that fails. */
  readonly error: string;
}

async function playOne(scenario: Scenario, url: string, hang: string): Promise<Run> {
  const clock = virtualClock({ startMs: NOW });
  const over = new AbortController();
  const hangs = scenario.policy?.attemptTimeoutMs !== undefined;
  const timeOut = async (): Promise<void> => {
    for (;;) {
      await (await fetch(hang, { signal: over.signal })).text();
      clock.tick(scenario.policy?.attemptTimeoutMs ?? 0);
    }
  };
  const watch = hangs ? timeOut().catch(() => undefined) : undefined;
  try {
    return await unlessStuck(play(scenario, fetchClient, clock, url));
  } catch (error) {
    return { delays: [], reason: String(error), got: undefined, pending: clock.pending };
  } finally {
    over.abort();
    await watch;
  }
}

/** Plays the whole table of scenarios. */
async function playAll({ urls, hangs }: Plan): Promise<Run[]> {
  const runs: Run[] = [];
  for (const [at, scenario] of scenarios.entries())
    runs.push(await playOne(forClient(scenario, 'fetch'), urls[at] ?? '', `${hangs}?scenario=${at}`));
  return runs;
}

/** An error and its causes, one after another. */
function chain(error: unknown, depth = 0): string {
  if (typeof error !== 'object' || error === null || depth > 5) return String(error);
  const { name, code, syscall, message, cause } = error as Record<string, unknown>;
  const told = [name, code, syscall, message].filter((part) => part !== undefined).join(' ');
  return cause === undefined ? told : `${told} < ${chain(cause, depth + 1)}`;
}

/** Meets every situation, with the runtime's own fetch. */
async function meetAll(at: Troubles): Promise<Met[]> {
  const met: Met[] = [];
  for (const { meet } of situations) {
    try {
      met.push({ kind: 'none', error: String(await unlessStuck(meet(at))) });
    } catch (error) {
      met.push({ kind: failureKind(error), error: chain(error) });
    }
  }
  return met;
}

/** What a runtime can be told to do, and what it gives back. Both are plain JSON. */
export interface Jobs {
  readonly play: readonly [Plan, Run[]];
  readonly meet: readonly [Troubles, Met[]];
  /** For pages alone. */
  readonly relative: readonly [undefined, Relative];
  readonly slots: readonly [string, Awaited<ReturnType<typeof useSlots>>];
}

export async function perform<Name extends keyof Jobs>(job: Name, input: Jobs[Name][0]): Promise<unknown> {
  const jobs: { readonly [Job in keyof Jobs]: (input: Jobs[Job][0]) => Promise<Jobs[Job][1]> } = {
    play: playAll,
    meet: meetAll,
    slots: useSlots,
    relative: askRelatively,
  };
  return jobs[job](input);
}
