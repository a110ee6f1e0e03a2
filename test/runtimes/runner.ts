// Bundled and run in each runtime: imports nothing from Node.
import { attemptsOf, type FailureKind } from '@ebb/core';
import { failureKind, isTypeError } from '@ebb/core/adapter';
import { type AdapterRow, rowsFor } from '@ebb/testing';
import { factsOf, type Place } from './facts.ts';
import { askRelatively, type Relative } from './relative.ts';
import { remoteUpstreams } from './remote.ts';
import { situations, type Troubles } from './situations.ts';
import { useSlots } from './slots.ts';
import { unlessStuck } from './stuck.ts';
import type { Subject } from './subjects/subject.ts';

/** What the suite of a runtime needs. */
export interface Plan {
  /** The URL of the server that starts its upstreams. */
  readonly control: string;
  readonly place: Place;
}

/** The result of a situation in a runtime. */
export interface Met {
  readonly kind: string;
  /** The error as text, shown if the row fails. */
  readonly error: string;
}

/** What a row has come to: what went wrong, as text, each time that it was played. */
export interface Verdict {
  readonly state: 'passed' | 'skipped' | 'failed';
  readonly wrong: readonly string[];
}

/**
 * Plays a row. A browser may send a GET again by itself when its connection breaks before the response (RFC 9110, 9.2.2),
 * which no page can see or forbid: there a row that fails is played once more.
 */
async function judged({ run }: AdapterRow, { runtime }: Place): Promise<Verdict> {
  const wrong: string[] = [];
  const times = runtime === 'Chromium' ? 2 : 1;
  while (wrong.length < times) {
    const found = await unlessStuck(run()).then(() => undefined, chain);
    if (found === undefined) return { state: 'passed', wrong };
    wrong.push(found);
  }
  return { state: 'failed', wrong };
}

/** Runs all rows of the suite, in their order. */
async function playAll({ make }: Subject, { control, place }: Plan): Promise<Verdict[]> {
  const upstream = remoteUpstreams(control);
  const verdicts: Verdict[] = [];
  for (const row of rowsFor({ ...factsOf(place), name: place.row, client: make, upstream })) {
    verdicts.push(row.skipped === undefined ? await judged(row, place) : { state: 'skipped', wrong: [] });
  }
  return verdicts;
}

/** An error and its causes as text. */
function chain(error: unknown, depth = 0): string {
  if (typeof error !== 'object' || error === null || depth > 5) return String(error);
  const { name, code, syscall, message, cause } = error as Record<string, unknown>;
  const text = [name, code, syscall, message].filter((part) => part !== undefined).join(' ');
  return cause === undefined ? text : `${text} < ${chain(cause, depth + 1)}`;
}

/** The kind of an error; of a `TypeError`, which tells nothing in a browser, that which a client of fetch has found. */
function kindOf(error: unknown): FailureKind {
  const kind = failureKind(error);
  const found = isTypeError(error) ? attemptsOf(error).at(-1)?.failure : undefined;
  return kind === 'unknown' ? (found ?? kind) : kind;
}

/** Runs all situations over the runtime's own fetch. */
async function meetAll(at: Troubles): Promise<Met[]> {
  const met: Met[] = [];
  for (const { meet } of situations) {
    try {
      met.push({ kind: 'none', error: String(await unlessStuck(meet(at))) });
    } catch (error) {
      met.push({ kind: kindOf(error), error: chain(error) });
    }
  }
  return met;
}

/** The jobs of a runtime, each with its input and its result. Both are plain JSON. */
export interface Jobs {
  readonly play: readonly [Plan, Verdict[]];
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
