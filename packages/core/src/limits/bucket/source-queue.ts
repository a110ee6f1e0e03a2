import type { Grant } from '../../policy/contracts.ts';
import type { Amount, Sums } from '../../queue/queue.ts';
import type { SteadyTime } from '../../queue/time.ts';
import type { Waiter, WaitQueue } from '../../queue/wait-queue.ts';
import type { WaitingQueue } from './token-source.ts';

/**
 * The requests that wait, as a source sees them: those in the queue, and the first ones of paused origins once their own level has the
 * tokens.
 */
export class SourceQueue implements WaitingQueue<Amount> {
  readonly #waiters: WaitQueue<Grant>;
  readonly #time: SteadyTime;
  readonly #sums: Sums;

  constructor(waiters: WaitQueue<Grant>, time: SteadyTime, sums: Sums) {
    this.#waiters = waiters;
    this.#time = time;
    this.#sums = sums;
  }

  #passing(nowMs: number): Waiter<Grant>[] {
    const passing: Waiter<Grant>[] = [];
    for (const [gate, first] of this.#waiters.waitingApart())
      if (gate.passMs(first.cost, nowMs) === 0) passing.push(first);
    return passing;
  }

  get size(): number {
    const { apart, size } = this.#waiters;
    return apart === 0 ? size : size - apart + this.#passing(this.#time.now()).length;
  }

  get queue(): WaitingQueue<Amount>['queue'] {
    const { apart, queue } = this.#waiters;
    if (apart === 0) return queue;
    const nowMs = this.#time.now();
    const passing = this.#passing(nowMs);
    if (passing.length === 0) return queue;
    const first = this.#waiters.next(nowMs);
    const parts = first && passing.includes(first) ? [passing, queue] : [queue, passing];
    return {
      first,
      cost: passing.reduce((sum, { cost }) => this.#sums.plus(sum, cost), queue.cost) as 0,
      shares: queue.shares,
      *[Symbol.iterator]() {
        for (const part of parts) yield* part;
      },
    };
  }
}
