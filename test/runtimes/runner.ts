// Bundled and run in each runtime: imports nothing from Node.
import { failureKind } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { hangs, hung, NOW, play, type Run } from '../play.ts';
import { forClient, type Scenario, scenarios } from '../scenarios.ts';
import { askRelatively, type Relative } from './relative.ts';
import { situations, type Troubles } from './situations.ts';
import { useSlots } from './slots.ts';
import { unlessStuck } from './stuck.ts';
import type { Subject } from './subjects/subject.ts';

/** What the scenarios of a runtime need. */
export interface Plan {
  /** The URL of each scenario's upstream, in the order of the table; `null` to leave it out. */
  readonly urls: readonly (string | null)[];
  /** Responds to a GET with `?scenario=` and its index when the upstream of that scenario hangs, once for each hang. */
  readonly hangs: string;
}

/** The result of a situation in a runtime. */
export interface Met {
  readonly kind: string;
  /** The error as text, shown if the row fails. */
  readonly error: string;
}

/** The result of a scenario that did not come to an end. */
const stuck = (error: unknown, pending: number): Run => ({
  ...{ delays: [], waits: [], reason: String(error), got: undefined, thrown: undefined },
  ...{ attempts: 0, history: undefined, pending, held: 0 },
});

type MakeClient = Subject['make'];

async function playOne(scenario: Scenario, make: MakeClient, url: string, hang: string): Promise<Run> {
  const clock = virtualClock({ startMs: NOW });
  const caller = new AbortController();
  const over = new AbortController();
  const watchHangs = async (): Promise<void> => {
    for (;;) {
      await (await fetch(hang, { signal: over.signal })).text();
      hung(scenario, clock, caller);
    }
  };
  const watch = hangs(scenario) ? watchHangs().catch(() => undefined) : undefined;
  try {
    return await unlessStuck(play(scenario, make, clock, url, caller));
  } catch (error) {
    return stuck(error, clock.pending);
  } finally {
    over.abort();
    await watch;
  }
}

/** Runs all scenarios that have a URL. */
async function playAll({ client, make }: Subject, { urls, hangs }: Plan): Promise<(Run | null)[]> {
  const runs: (Run | null)[] = [];
  for (const [at, scenario] of scenarios.entries()) {
    const url = urls[at];
    const row = forClient(scenario, client);
    runs.push(url == null ? null : await playOne(row, make, url, `${hangs}?scenario=${at}`));
  }
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
  readonly play: readonly [Plan, (Run | null)[]];
  readonly meet: readonly [Troubles, Met[]];
  /** Only in pages. */
  readonly relative: readonly [undefined, Relative];
  readonly slots: readonly [string, Awaited<ReturnType<typeof useSlots>>];
}

export type Perform = <Name extends keyof Jobs>(job: Name, input: Jobs[Name][0]) => Promise<unknown>;

/** Does the jobs with a client. */
export function performer(subject: Subject): Perform {
  const jobs: { readonly [Job in keyof Jobs]: (input: Jobs[Job][0]) => Promise<Jobs[Job][1]> } = {
    play: (plan) => playAll(subject, plan),
    meet: meetAll,
    slots: (url) => useSlots(subject.slots, url),
    relative: askRelatively,
  };
  return (job, input) => jobs[job](input);
}
