import type { BackoffStrategy, Random } from '@ebb/core';
import { seededRandom } from '@ebb/core/testing';
import { Delays, RaceState } from './race-state.ts';

/** The mean of several runs. */
export interface Sample {
  readonly mean: number;
  /** The standard error of the mean. */
  readonly standardError: number;
}

/** The mean of some numbers and its standard error. */
function sampleOf(values: Float64Array): Sample {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return { mean, standardError: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}

/** Options of {@link raceForLock}. */
export interface LockRace {
  readonly clients: number;
  readonly backoff: BackoffStrategy;
  /** @default 100 */
  readonly runs?: number;
  /** @default 1 */
  readonly seed?: number;
  /**
   * The delay of each message, in milliseconds: |N(mean, deviation)|.
   * @default 10
   */
  readonly networkMeanMs?: number;
  /** @default 2 */
  readonly networkDeviationMs?: number;
}

/** The result of a race: means over its runs. */
export interface LockResult {
  readonly clients: number;
  readonly runs: number;
  /** Attempts to write the row. */
  readonly calls: Sample;
  /** When the last client got its answer, in milliseconds. */
  readonly completionMs: Sample;
  /** Clients whose rule gave up before they could write. */
  readonly gaveUp: Sample;
}

interface Step {
  retry: number;
  previousDelayMs: number | undefined;
  readonly random: Random;
}

interface Finish {
  readonly calls: number;
  readonly completionMs: number;
  readonly gaveUp: number;
}

function race(state: RaceState, backoff: BackoffStrategy, step: Step, delays: Delays): Finish {
  const { readAtMs, writeAtMs, previousMs, failures } = state;
  const { block } = delays;
  let racing = readAtMs.length;
  for (let client = 0; client < racing; client += 1) {
    const at = delays.next();
    const readsAtMs = block[at] as number;
    readAtMs[client] = readsAtMs;
    writeAtMs[client] = readsAtMs + (block[at + 1] as number) + (block[at + 2] as number);
    previousMs[client] = -1;
    failures[client] = 0;
  }
  let calls = 0;
  let gaveUp = 0;
  let completionMs = 0;
  let committedAtMs = -1;
  while (racing > 0) {
    let first = -1;
    let firstAtMs = Number.POSITIVE_INFINITY;
    for (let client = 0; client < racing; client += 1) {
      let writesAtMs = writeAtMs[client] as number;
      if ((readAtMs[client] as number) <= committedAtMs) {
        calls += 1;
        const at = delays.next();
        const failedAtMs = writesAtMs + (block[at] as number);
        const previous = previousMs[client] as number;
        step.previousDelayMs = previous < 0 ? undefined : previous;
        step.retry = (failures[client] as number) + 1;
        const waitMs = backoff(step);
        if (waitMs === undefined) {
          gaveUp += 1;
          completionMs = Math.max(completionMs, failedAtMs);
          racing -= 1;
          state.replace(client, racing);
          client -= 1;
          continue;
        }
        previousMs[client] = waitMs;
        failures[client] = step.retry;
        const readsAtMs = failedAtMs + waitMs + (block[at + 1] as number);
        readAtMs[client] = readsAtMs;
        writesAtMs = readsAtMs + (block[at + 2] as number) + (block[at + 3] as number);
        writeAtMs[client] = writesAtMs;
      }
      if (writesAtMs < firstAtMs) {
        firstAtMs = writesAtMs;
        first = client;
      }
    }
    if (first < 0) break;
    calls += 1;
    committedAtMs = firstAtMs;
    completionMs = Math.max(completionMs, committedAtMs + (block[delays.next()] as number));
    racing -= 1;
    state.replace(first, racing);
  }
  return { calls, completionMs, gaveUp };
}

/**
 * A race for one row. Each client reads the row and writes it with the version that it read; after a conflict it backs
 * off and reads again. This is the comparison of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog,
 * 2015).
 *
 * Only successful writes change the row, so the simulation steps from one of them to the next. After each, every client
 * that read the row before it is certain to fail: its next read and write are drawn at once. The earliest write of all
 * clients is then the next to succeed. The result is that of a simulation of each message, without an event queue.
 */
export function raceForLock(options: LockRace): LockResult {
  const { clients, backoff, runs = 100, seed = 1, networkMeanMs = 10, networkDeviationMs = 2 } = options;
  const state = new RaceState(clients);
  const delays = new Delays(seed, networkMeanMs, networkDeviationMs);
  const step: Step = { retry: 1, previousDelayMs: undefined, random: seededRandom(seed ^ 0x5eed) };

  const calls = new Float64Array(runs);
  const completionMs = new Float64Array(runs);
  const gaveUp = new Float64Array(runs);
  for (let run = 0; run < runs; run += 1) {
    const finish = race(state, backoff, step, delays);
    calls[run] = finish.calls;
    completionMs[run] = finish.completionMs;
    gaveUp[run] = finish.gaveUp;
  }
  return {
    clients,
    runs,
    calls: sampleOf(calls),
    completionMs: sampleOf(completionMs),
    gaveUp: sampleOf(gaveUp),
  };
}
