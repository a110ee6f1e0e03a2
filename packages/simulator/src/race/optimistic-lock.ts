import type { BackoffStrategy, Random } from '@ebb/core';
import { seededRandom } from '@ebb/core/testing';
import { type NormalSource, normalSource } from '../engine/ziggurat.ts';
import { type Sample, sampleOf } from './sample.ts';

/** Clients that race for one row. */
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

/** What became of a race. */
export interface LockResult {
  readonly clients: number;
  readonly runs: number;
  /** Writes that the row was asked for. */
  readonly calls: Sample;
  /** When the last client had its answer, in milliseconds. */
  readonly completionMs: Sample;
  /** Clients whose rule gave up before they had written. */
  readonly gaveUp: Sample;
}

/** Where every client of a race stands, at its place in each array. Those that are done leave the front. */
class Field {
  readonly readAtMs: Float64Array;
  readonly writeAtMs: Float64Array;
  readonly previousMs: Float64Array;
  readonly failures: Int32Array;

  constructor(clients: number) {
    this.readAtMs = new Float64Array(clients);
    this.writeAtMs = new Float64Array(clients);
    this.previousMs = new Float64Array(clients);
    this.failures = new Int32Array(clients);
  }

  /** Puts the last client in the place of one that is done. */
  replace(client: number, last: number): void {
    this.readAtMs[client] = this.readAtMs[last] as number;
    this.writeAtMs[client] = this.writeAtMs[last] as number;
    this.previousMs[client] = this.previousMs[last] as number;
    this.failures[client] = this.failures[last] as number;
  }
}

/** Draws of the network's delay. They are made in blocks, and taken four at a time: a message each. */
class Delays {
  readonly block = new Float64Array(4_096);
  at: number = this.block.length;
  readonly #fill: NormalSource;
  readonly #meanMs: number;
  readonly #deviationMs: number;

  constructor(seed: number, meanMs: number, deviationMs: number) {
    this.#fill = normalSource(seed);
    this.#meanMs = meanMs;
    this.#deviationMs = deviationMs;
  }

  /** Where in the block the next four begin. */
  next(): number {
    if (this.at === this.block.length) {
      this.#fill(this.block, this.#meanMs, this.#deviationMs);
      this.at = 0;
    }
    this.at += 4;
    return this.at - 4;
  }
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

function race(field: Field, backoff: BackoffStrategy, step: Step, delays: Delays): Finish {
  const { readAtMs, writeAtMs, previousMs, failures } = field;
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
          field.replace(client, racing);
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
    field.replace(first, racing);
  }
  return { calls, completionMs, gaveUp };
}

/**
 * Clients that each read a row, write it with the version that they read, and after a conflict back off and
 * read it again: the comparison of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog, 2015).
 *
 * Nothing changes the row but the writes that succeed, so time goes from one of those to the next. When one is
 * done, every client that had read before it and not yet written is bound to fail, and its next read and write
 * can be drawn at once; the first write among all clients is then the next to succeed. That is the same race as
 * message by message, without a queue of events.
 */
export function raceForLock(options: LockRace): LockResult {
  const { clients, backoff, runs = 100, seed = 1, networkMeanMs = 10, networkDeviationMs = 2 } = options;
  const field = new Field(clients);
  const delays = new Delays(seed, networkMeanMs, networkDeviationMs);
  const step: Step = { retry: 1, previousDelayMs: undefined, random: seededRandom(seed ^ 0x5eed) };

  const calls = new Float64Array(runs);
  const completionMs = new Float64Array(runs);
  const gaveUp = new Float64Array(runs);
  for (let run = 0; run < runs; run += 1) {
    const finish = race(field, backoff, step, delays);
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
