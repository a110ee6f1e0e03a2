// Bundled and run in each runtime: imports nothing from Node.
import { failureKind } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { fetchClient } from '../fetch-client.ts';
import { NOW, play, type Run } from '../play.ts';
import { forClient, type Scenario, scenarios } from '../scenarios.ts';
import { askRelatively, type Relative } from './relative.ts';
import { situations, type Troubles } from './situations.ts';
import { useSlots } from './slots.ts';
import { unlessStuck } from './stuck.ts';

/** The URL of each scenario's upstream, in the order of the table, and the server that reports hangs. */
export interface Plan {
  readonly urls: readonly string[];
  /** Responds to a GET with `?scenario=` and its index when the upstream of that scenario hangs, once for each hang. */
  readonly hangs: string;
}

/** The result of a situation in a runtime. */
export interface Met {
  readonly kind: string;
  /** The error as text, shown if the row fails. */
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

/** Runs all scenarios. */
async function playAll({ urls, hangs }: Plan): Promise<Run[]> {
  const runs: Run[] = [];
  for (const [at, scenario] of scenarios.entries())
    runs.push(await playOne(forClient(scenario, 'fetch'), urls[at] ?? '', `${hangs}?scenario=${at}`));
  return runs;
}

/** An error and its causes as text. */
function chain(error: unknown, depth = 0): string {
  if (typeof error !== 'object' || error === null || depth > 5) return String(error);
  const { name, code, syscall, message, cause } = error as Record<string, unknown>;
  const text = [name, code, syscall, message].filter((part) => part !== undefined).join(' ');
  return cause === undefined ? text : `${text} < ${chain(cause, depth + 1)}`;
}

/** Runs all situations with the runtime's own fetch. */
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

/** The jobs of a runtime, each with its input and its result. Both are plain JSON. */
export interface Jobs {
  readonly play: readonly [Plan, Run[]];
  readonly meet: readonly [Troubles, Met[]];
  /** Only in pages. */
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
