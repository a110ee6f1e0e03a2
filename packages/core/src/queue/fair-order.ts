import { prose } from '#prose';
import { checkPriority, positive } from '../base/check.ts';
import { must } from '../base/option-error.ts';
import { type Amount, minus, plus, type Weigh } from './amount.ts';
import {
  crowdOf,
  type FairLane,
  type Key,
  type Level,
  newKey,
  rankOf,
  type Waiting,
  weightOf,
} from './fair-keys.ts';
import { link, unlink } from './list.ts';
import type { PlaceOptions, Queue } from './queue.ts';
import { Turns } from './turns.ts';

/** The options of a fair queue. */
interface FairSetup {
  readonly weightOf: (key: string) => number;
  readonly overflow: 'drop-longest' | 'reject';
  readonly agingMs: number;
}

/** An estimate of a wait looks at so many keys at most. */
const MOST_COUNTED = 1_000;

/**
 * The order of a fair queue. Within a priority each key has a virtual time at which its next request begins, which moves on
 * by cost ÷ weight with each request that is served, and the earliest goes first. A key that comes into the queue begins at
 * the virtual time of now. So what two waiting keys are served differs, by weight, by one request of each, however large the
 * costs are, and what a key does not use is not saved up.
 *
 * Virtual time is when the next to go begins. Keys that are always new would hold it there, so that they move it on by their
 * time ÷ the number of keys that wait, as if their service were shared among all.
 *
 * Goyal, Vin, Cheng: Start-time fair queueing, SIGCOMM 1996; Bennett, Zhang: Hierarchical packet fair queueing algorithms,
 * SIGCOMM 1996 (WF²Q+: virtual time that moves on with service, and to the first that waits).
 */
export class FairOrder<W extends Waiting<W>> implements Queue<W> {
  readonly isFair = true;
  first: W | undefined;
  readonly #setup: FairSetup;
  readonly #weigh: Weigh;
  /** One for each priority that there has been, the highest first. */
  readonly #levels: Level<W>[] = [];
  #searched: Key<W>[] = [];

  constructor(setup: FairSetup, weigh: Weigh) {
    this.#setup = setup;
    this.#weigh = weigh;
  }

  get cost(): Amount {
    return this.#costAbove(Number.NEGATIVE_INFINITY);
  }

  get shares(): number {
    return this.first?.lane.level.weight ?? 0;
  }

  #costAbove(lowest: number): Amount {
    return this.#levels.reduce<Amount>(
      (sum, { priority, cost }) => plus(sum, priority > lowest ? cost : 0),
      0,
    );
  }

  laneOf({ priority = 0, retry = false, fairKey }: PlaceOptions): FairLane<W> {
    if (fairKey !== undefined) must('fairKey', prose('a string'), fairKey, typeof fairKey === 'string');
    // Most often there is one.
    let level = this.#levels[0];
    if (level?.priority !== priority) level = this.#levels.find((one) => one.priority === priority);
    if (level === undefined) {
      checkPriority('priority', priority);
      const keys = { byName: new Map(), turns: new Turns<Key<W>>(), crowds: undefined };
      level = { ...keys, priority, now: 0, waiting: 0, weight: 0, cost: 0 };
      this.#levels.push(level);
      this.#levels.sort((one, other) => other.priority - one.priority);
    }
    const key = level.byName.get(fairKey) ?? newKey<W>(fairKey, this.#paceOf(fairKey));
    return { level, key, isRetry: retry };
  }

  #paceOf(key: string | undefined): number {
    if (key === undefined) return 1;
    const weight = this.#setup.weightOf(key);
    positive(`fairQueue: weightOf(${JSON.stringify(key)})`, weight);
    return Math.min(1 / weight, Number.MAX_VALUE);
  }

  /** Never, while others wait: what is served counts only if it was in the queue. */
  goesFirst(): boolean {
    return this.first === undefined;
  }

  /** Less, if there are very many keys. If it is not exact, that of the key alone. */
  costAhead({ level, key, isRetry }: FairLane<W>, _nowMs: number, isExact: boolean): Amount {
    const own = isRetry ? 0 : key.cost;
    if (!isExact) return own;
    let cost = plus(own, this.#costAbove(level.priority));
    const startsAt = Math.max(key.startsAt, level.now) + this.#weigh(own) * key.pace;
    for (const other of level.turns.entries.slice(0, MOST_COUNTED)) {
      const part = (startsAt - other.startsAt) / (this.#weigh(other.cost) * other.pace);
      if (part > 0 && other !== key) cost = plus(cost, other.cost, Math.min(1, part));
    }
    return cost;
  }

  /** One key after the other. */
  *costsInTurn(): Generator<Amount> {
    for (const { first } of this.first?.lane.level.turns.entries ?? []) {
      for (let one = first; one !== undefined; one = one.next) yield one.cost;
    }
  }

  add(one: W): void {
    const { level, key, isRetry } = one.lane;
    link(key, one, isRetry ? key.lastRetry : key.last);
    if (isRetry) key.lastRetry = one;
    level.cost = plus(level.cost, one.cost);
    key.cost = plus(key.cost, one.cost);
    key.size += 1;
    if (key.size === 1) this.#begin(level, key);
    const { crowds, turns } = level;
    // It holds a key again for each request, with sizes that are out of date.
    if (crowds !== undefined && crowds.ranks.length > 2 * turns.ranks.length) level.crowds = undefined;
    else crowds?.add(key, -crowdOf(key));
    this.#choose();
  }

  #begin(level: Level<W>, key: Key<W>): void {
    level.waiting += 1;
    level.weight += weightOf(key);
    const isKnown = level.byName.get(key.name) === key;
    // It may have been forgotten meanwhile.
    if (!isKnown) key.startsAt = 0;
    key.isNew = key.startsAt <= level.now;
    if (key.isNew) key.startsAt = level.now;
    if (isKnown) return;
    level.byName.set(key.name, key);
    level.turns.add(key, rankOf(key));
  }

  remove(one: W, isServed: boolean): void {
    const { level, key } = one.lane;
    if (one === key.lastRetry) key.lastRetry = one.previous;
    unlink(key, one);
    key.size -= 1;
    // Reset when empty, so that rounding errors do not add up.
    key.cost = key.size === 0 ? 0 : minus(key.cost, one.cost);
    level.cost = minus(level.cost, one.cost);
    if (isServed) {
      const time = this.#weigh(one.cost) * key.pace;
      if (key.isNew) level.now += time / level.waiting;
      key.isNew = false;
      key.startsAt += time;
    }
    if (key.size === 0) {
      level.waiting -= 1;
      level.weight = level.waiting === 0 ? 0 : level.weight - weightOf(key);
    }
    this.#moveOn(level);
    this.#choose();
  }

  /** Moves virtual time on to when the next begins, and forgets keys without requests that would have begun before. */
  #moveOn(level: Level<W>): void {
    const { turns, byName } = level;
    for (let first = turns.entries[0]; first !== undefined; first = turns.entries[0]) {
      const rank = rankOf(first);
      if (rank > (turns.ranks[0] as number)) turns.add(first, rank, 0);
      else if (first.size === 0) {
        turns.shift();
        byName.delete(first.name);
      } else {
        level.now = Math.max(level.now, first.startsAt);
        return;
      }
    }
    // No one waits, so that no one has had too much.
    level.crowds = undefined;
    level.now = 0;
    level.cost = 0;
  }

  /** Of the first of each priority, one that has waited `agingMs` longer goes before one of the next higher priority. */
  #choose(): void {
    this.first = undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const { turns, priority } of this.#levels) {
      const first = turns.entries[0]?.first;
      const atMs = first === undefined ? leastMs : first.sinceMs - priority * this.#setup.agingMs;
      if (atMs >= leastMs) continue;
      this.first = first;
      leastMs = atMs;
    }
  }

  displacedBy({ level, key }: FairLane<W>): W | undefined {
    const lowest = this.#levels.findLast(({ turns }) => turns.ranks.length > 0);
    if (this.#setup.overflow === 'reject' || lowest === undefined || lowest.priority > level.priority) {
      return undefined;
    }
    const longest = this.#longest(lowest);
    return lowest !== level || crowdOf(longest) > crowdOf(key, 1) ? longest.last : undefined;
  }

  /** The key with the most requests, by its weight. There is one. */
  #longest(level: Level<W>): Key<W> {
    let { crowds } = level;
    if (crowds === undefined) {
      crowds = new Turns();
      for (const key of level.turns.entries) crowds.add(key, -crowdOf(key));
      level.crowds = crowds;
    }
    for (;;) {
      const key = crowds.entries[0] as Key<W>;
      const rank = -crowdOf(key);
      if (rank === crowds.ranks[0]) return key;
      crowds.add(key, rank, 0);
    }
  }

  startSearch(): void {
    this.#searched = this.#levels.flatMap(({ turns }) => turns.entries);
    for (const key of this.#searched) key.searchAt = key.first;
  }

  searched(): W | undefined {
    for (let key = this.#searched.at(-1); key !== undefined; key = this.#searched.at(-1)) {
      const one = key.searchAt;
      key.searchAt = one?.next;
      if (one !== undefined) return one;
      this.#searched.pop();
    }
    return undefined;
  }
}
