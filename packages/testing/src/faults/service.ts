import type { Random } from '@ebb/core';
import { Heap, type HeapEntry, Level } from '@ebb/core/bucket';
import { DRAWS } from './draws.ts';
import { type ServiceHealth, serviceHealthAt, troubleMoments } from './health.ts';
import type { FaultSetup } from './read-scenario.ts';
import type { Trouble } from './scenario.ts';

/** The answer to a client: a response, or a refused or broken connection. */
export type Answer =
  | { readonly status: number; readonly retryAfterSeconds?: number | undefined }
  | { readonly code: 'ECONNREFUSED' | 'ECONNRESET' };

export const OK: Answer = { status: 200 };
const UNAVAILABLE: Answer = { status: 503 };
const REFUSED: Answer = { code: 'ECONNREFUSED' };
const RESET: Answer = { code: 'ECONNRESET' };

/** A request. */
export class Job implements HeapEntry {
  heapIndex = -1;
  /** The one behind it in the queue. */
  next: Job | undefined;
  /** When a worker is done with it. */
  doneAtMs = 0;
  /** Its number in the order of serving. */
  order = 0;
  /** The outages that there were before a worker took it. */
  outages = 0;
  /** Not called during a silence. */
  readonly answer: (answer: Answer) => void;

  constructor(answer: (answer: Answer) => void) {
    this.answer = answer;
  }
}

function isEarlier(one: Job, other: Job): boolean {
  return one.doneAtMs < other.doneAtMs || (one.doneAtMs === other.doneAtMs && one.order < other.order);
}

/**
 * Workers that each serve one request at a time, and a queue before them. The service does not learn that a client has given up: it
 * serves abandoned requests like all others, as real servers do.
 *
 * The service has no timers. {@link Service.advance} catches up with the events until the current time.
 */
export class Service {
  readonly #setup: FaultSetup;
  readonly #random: Random;
  readonly #startMs: number;
  readonly #troubles: readonly Trouble[];
  /** When the troubles begin, change or end; those that are still to come. */
  readonly #moments: number[];
  readonly #limit: Level | undefined;
  /** The first and the last of those that wait; meaningless while none does. */
  #first: Job | undefined;
  #last: Job | undefined;
  #waiting = 0;
  /** The requests that are being served, or were lost. */
  readonly #served = new Heap<Job>(isEarlier);
  /** The number of workers that serve, including workers about to leave after their request. */
  #busy = 0;
  #workers: number;
  #health: ServiceHealth;
  #order = 0;
  #outages = 0;
  #lostInSilence = false;

  /** @param shard its number, from 0 */
  constructor(setup: FaultSetup, shard: number, random: Random, startMs: number) {
    this.#setup = setup;
    this.#random = random;
    this.#startMs = startMs;
    this.#troubles = setup.troubles.filter((trouble) => (trouble.shard ?? shard) === shard);
    // The last one first.
    this.#moments = troubleMoments(this.#troubles)
      .map((ms) => startMs + ms)
      .reverse();
    this.#workers = setup.workers;
    this.#health = serviceHealthAt([], 0);
    const { limit } = setup;
    if (limit) {
      const { capacity, refillPerSecond, refillIntervalMs = 0 } = limit;
      this.#limit = new Level({ capacity, refillPerSecond, refillIntervalMs, initialTokens: capacity });
    }
  }

  /** When something happens next to the requests that there are; `Infinity` if there are none. */
  get nextAtMs(): number {
    if (this.#waiting === 0 && this.#served.size === 0) return Number.POSITIVE_INFINITY;
    return this.#soonestMs;
  }

  get #soonestMs(): number {
    return Math.min(
      this.#moments.at(-1) ?? Number.POSITIVE_INFINITY,
      this.#served.first?.doneAtMs ?? Number.POSITIVE_INFINITY,
    );
  }

  /** Lets happen what is due. */
  advance(nowMs: number): void {
    for (let atMs = this.#soonestMs; atMs <= nowMs; atMs = this.#soonestMs) {
      if (this.#moments.at(-1) === atMs) {
        this.#moments.pop();
        this.#change(atMs);
      } else this.#finish(this.#served.first as Job, atMs);
    }
  }

  /** A request arrives. */
  receive(job: Job, nowMs: number): void {
    this.advance(nowMs);
    const { outage } = this.#health;
    const { maxQueue } = this.#setup;
    if (outage !== undefined) {
      if (outage !== 'silence') job.answer(outage === 'refused' ? REFUSED : UNAVAILABLE);
    } else if (this.#limit?.take(1, nowMs - this.#startMs) === false) job.answer(this.#tooMany(nowMs));
    else if (this.#busy < this.#workers) this.#serve(job, nowMs);
    else if (this.#waiting < maxQueue) this.#wait(job);
    else job.answer(this.#full());
  }

  #tooMany(nowMs: number): Answer {
    const isTold = this.#setup.limit?.retryAfter ?? true;
    const waitMs = this.#limit?.waitMs(1, nowMs - this.#startMs) ?? 0;
    return { status: 429, retryAfterSeconds: isTold ? Math.ceil(waitMs / 1_000) : undefined };
  }

  #full(): Answer {
    const { queueFull, retryAfterSeconds } = this.#setup;
    return { status: queueFull === 'too-many' ? 429 : 503, retryAfterSeconds };
  }

  #serve(job: Job, nowMs: number): void {
    const { serviceMs, serviceSpread, stragglers } = this.#setup;
    this.#busy += 1;
    this.#order += 1;
    let tookMs = DRAWS[serviceSpread](serviceMs, this.#random);
    if (stragglers && this.#random() < stragglers.share) tookMs *= stragglers.factor;
    job.doneAtMs = nowMs + tookMs;
    job.order = this.#order;
    job.outages = this.#outages;
    this.#served.add(job);
  }

  /** A worker is done. If its request was lost in an outage, the client learns so now, when it expected the answer. */
  #finish(job: Job, nowMs: number): void {
    this.#served.remove(job);
    if (job.outages !== this.#outages) {
      if (!this.#lostInSilence) job.answer(RESET);
      return;
    }
    this.#busy -= 1;
    const { errorShare } = this.#health;
    job.answer(errorShare > 0 && this.#random() < errorShare ? UNAVAILABLE : OK);
    this.#serveWaiting(nowMs);
  }

  #serveWaiting(nowMs: number): void {
    while (this.#busy < this.#workers && this.#waiting > 0) this.#serve(this.#shift(), nowMs);
  }

  #wait(job: Job): void {
    if (this.#waiting === 0) this.#first = job;
    else (this.#last as Job).next = job;
    this.#last = job;
    this.#waiting += 1;
  }

  #shift(): Job {
    const job = this.#first as Job;
    this.#first = job.next;
    job.next = undefined;
    this.#waiting -= 1;
    return job;
  }

  /** A trouble begins, changes or ends. */
  #change(nowMs: number): void {
    const before = this.#health;
    this.#health = serviceHealthAt(this.#troubles, nowMs - this.#startMs);
    this.#workers = Math.round(this.#setup.workers * this.#health.capacityShare);
    const { outage } = this.#health;
    if (outage !== undefined && before.outage === undefined) {
      this.#outages += 1;
      this.#lostInSilence = outage === 'silence';
      this.#busy = 0;
      while (this.#waiting > 0) {
        const job = this.#shift();
        if (!this.#lostInSilence) job.answer(RESET);
      }
    }
    this.#serveWaiting(nowMs);
  }
}
