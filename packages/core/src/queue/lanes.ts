import { prose } from '#prose';
import { wrongType } from '../base/check.ts';
import { type Amount, minus, plus } from './amount.ts';
import { type List, link, unlink } from './list.ts';
import type { PlaceOptions, Queue, Queued, QueueOrder } from './queue.ts';

interface Lane<W> extends List<W> {
  /** The sum of all costs. */
  cost: Amount;
}

/** A request in a lane with a number. */
export interface InLane<W> extends Queued<W> {
  readonly lane: number;
}

/**
 * First come, first served within a lane. Each lane is worth a head start over the lane below it, so that a low lane waits
 * longer but is never starved.
 */
export abstract class Lanes<W extends InLane<W>> implements Queue<W> {
  protected readonly lanes: Lane<W>[] = [];
  readonly #headStartMs: number;

  /** @param headStartMs what a lane is worth over the lane below it, in milliseconds */
  constructor(headStartMs: number) {
    this.#headStartMs = headStartMs;
  }

  abstract laneOf(options: PlaceOptions): number;

  get cost(): Amount {
    return this.lanes.reduce<Amount>((sum, { cost }) => plus(sum, cost), 0);
  }

  get first(): W | undefined {
    let best: W | undefined;
    for (const { first } of this.lanes) {
      if (first === undefined) continue;
      if (best === undefined || !this.#isAhead(best, first.lane, first.sinceMs)) best = first;
    }
    return best;
  }

  /** Whether a member goes before a request of this lane that has waited since then. */
  #isAhead(one: W, lane: number, sinceMs: number): boolean {
    const laterMs = one.sinceMs - Math.round(sinceMs) + (lane - one.lane) * this.#headStartMs;
    return laterMs < 0 || (laterMs === 0 && one.lane >= lane);
  }

  goesFirst(lane: number, nowMs: number): boolean {
    const { first } = this;
    return first === undefined || !this.#isAhead(first, lane, nowMs);
  }

  costAhead(lane: number, nowMs: number, isExact: boolean): Amount {
    let cost: Amount = 0;
    for (let at = isExact ? 0 : lane; at < this.lanes.length; at += 1) {
      const { first, last, cost: all } = this.lanes[at] as Lane<W>;
      if (last !== undefined && this.#isAhead(last, lane, nowMs)) {
        cost = plus(cost, all);
        continue;
      }
      for (let one = first; one !== undefined && this.#isAhead(one, lane, nowMs); one = one.next) {
        cost = plus(cost, one.cost);
      }
    }
    return cost;
  }

  /** Those behind the first in its lane. */
  *costsInTurn(): Generator<Amount> {
    for (let one = this.first; one !== undefined; one = one.next) yield one.cost;
  }

  add(one: W): void {
    const { lanes } = this;
    // Filled from the start: V8 reads arrays with holes slowly.
    while (lanes.length <= one.lane) {
      lanes.push({ first: undefined, last: undefined, cost: 0, searchAt: undefined });
    }
    const lane = lanes[one.lane] as Lane<W>;
    link(lane, one, lane.last);
    lane.cost = plus(lane.cost, one.cost);
  }

  remove(one: W): void {
    const lane = this.lanes[one.lane] as Lane<W>;
    unlink(lane, one);
    // Reset when empty, so that rounding errors do not add up.
    lane.cost = lane.first === undefined ? 0 : minus(lane.cost, one.cost);
  }

  startSearch(): void {
    for (const lane of this.lanes) lane.searchAt = lane.first;
  }

  searched(): W | undefined {
    for (const lane of this.lanes) {
      const one = lane.searchAt;
      if (one === undefined) continue;
      lane.searchAt = one.next;
      return one;
    }
    return undefined;
  }
}

/** A new request goes before a retry if it has waited longer by this, in milliseconds, so that neither starves. */
const RETRY_HEAD_START_MS = 30_000;

/** @throws TypeError: a key would have no effect */
export function mustHaveNoKey({ fairKey }: PlaceOptions): void {
  if (fairKey === undefined) return;
  throw wrongType('fairKey', prose('left out at a limit without `queue: fairQueue()`'), fairKey);
}

class ArrivalQueue<W extends InLane<W>> extends Lanes<W> {
  laneOf(options: PlaceOptions): number {
    const { priority = 0, retry } = options;
    mustHaveNoKey(options);
    if (priority !== 0) {
      throw wrongType('priority', prose('0 at a limit without `queue: priorityQueue()`'), priority);
    }
    return retry ? 1 : 0;
  }
}

/** The queue of a limit that is given none: first come, first served, with retries before new requests. */
export const inOrderOfArrival: QueueOrder = { make: () => new ArrivalQueue<never>(RETRY_HEAD_START_MS) };
