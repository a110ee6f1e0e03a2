import type { Clock, PolicyOptions } from '@ebb/core';
import { createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { turns } from '../until.ts';

/** A program that nothing ails: its calls are all answered, each after a time of its own. */
export interface HealthyProgram {
  /** How long each call takes, in the order in which they begin, in milliseconds. */
  readonly callsMs: readonly number[];
  /** So many are under way at a time. */
  readonly parallel: number;
  readonly attemptTimeoutMs?: number;
}

const times = (count: number, ...ms: readonly number[]): number[] =>
  Array.from({ length: count }, (_, at) => ms[at % ms.length] as number);

const FAST_THEN_SLOW = [...times(200, 5), ...times(100, 100)];
const THREE_TIMES = [...times(100, 100), ...times(100, 300)];
/** As to a service beside a language model. */
const SECONDS = [...times(50, 20), ...times(20, 2_000)];

/** Endpoints that differ in how long they take, and a service that becomes slower. */
export const HEALTHY_PROGRAMS: Readonly<Record<string, HealthyProgram>> = {
  '200 calls of 5 ms, then 100 of 100 ms': { callsMs: FAST_THEN_SLOW, parallel: 1 },
  '5 ms, then 100 ms, ten at a time, timeout 1 s': {
    callsMs: FAST_THEN_SLOW,
    parallel: 10,
    attemptTimeoutMs: 1_000,
  },
  '5 and 100 ms in turn, ten at a time': { callsMs: times(300, 5, 100), parallel: 10 },
  '20 and 400 ms in turn, timeout 1 s': {
    callsMs: times(100, 20, 400),
    parallel: 1,
    attemptTimeoutMs: 1_000,
  },
  '20 and 400 ms in turn, 20 at a time': { callsMs: times(400, 20, 400), parallel: 20 },
  '50 calls of 20 ms, then 20 of 2 s': { callsMs: SECONDS, parallel: 1 },
  '20 ms, then 2 s, five at a time': { callsMs: SECONDS, parallel: 5 },
  'from 100 to 300 ms': { callsMs: THREE_TIMES, parallel: 1 },
  'from 100 to 300 ms, ten at a time, timeout 1 s': {
    callsMs: THREE_TIMES,
    parallel: 10,
    attemptTimeoutMs: 1_000,
  },
  '5 ms, 400 ms and 2 s in turn, ten at a time, timeout 5 s': {
    callsMs: times(150, 5, 5, 400, 20, 2_000),
    parallel: 10,
    attemptTimeoutMs: 5_000,
  },
};

/** What became of a program. */
export interface Played {
  /** Scheduled attempts that were skipped. */
  readonly skipped: number;
  /** Calls without an answer. */
  readonly refused: number;
  readonly totalMs: number;
}

/** Plays a program over one `createFetch` with these options, in virtual time. */
export async function play(
  { callsMs, parallel, attemptTimeoutMs }: HealthyProgram,
  options: (clock: Clock) => PolicyOptions,
): Promise<Played> {
  const clock = virtualClock({ startMs: 0 });
  let [skipped, refused, next, working] = [0, 0, 0, parallel];
  const policy = createPolicy({
    clock,
    random: () => 0.5,
    attemptTimeoutMs,
    onEvent: ({ type }) => {
      if (type === 'attempt-skipped') skipped += 1;
    },
    ...options(clock),
  });
  const fetch = createFetch(policy, async (input) => {
    await clock.sleep(Number(new URL(String(input)).pathname.slice(1)));
    return new Response();
  });
  const work = async (): Promise<void> => {
    for (let ms = callsMs[next++]; ms !== undefined; ms = callsMs[next++]) {
      await fetch(`http://service.test/${ms}`).catch(() => {
        refused += 1;
      });
    }
    working -= 1;
  };
  for (let at = 0; at < parallel; at += 1) void work();
  for (;;) {
    await turns(3);
    if (working === 0) return { skipped, refused, totalMs: clock.elapsedMs };
    if (clock.nextAtMs === undefined) throw new Error('the program waits for nothing');
    clock.tick(clock.nextAtMs - clock.now());
  }
}
