import type { Amount } from './amount.ts';
import type { List } from './list.ts';
import type { Queued } from './queue.ts';
import type { Turns } from './turns.ts';

/** A key with the requests that wait under it: retries first, then first come, first served. */
export interface Key<W> extends List<W> {
  readonly name: unknown;
  /** Virtual time per cost: 1 ÷ weight. */
  readonly pace: number;
  size: number;
  cost: Amount;
  lastRetry: W | undefined;
  /** When its next request begins, in virtual time. */
  startsAt: number;
  /** True if that is when it came into the queue, and not later because of what it has had. */
  isNew: boolean;
}

export function newKey<W>(name: unknown, pace: number): Key<W> {
  return {
    ...{ first: undefined, last: undefined, searchAt: undefined, lastRetry: undefined },
    ...{ name, pace, size: 0, cost: 0, startsAt: 0, isNew: true },
  };
}

/** The keys of one priority. */
export interface Level<W> {
  readonly priority: number;
  readonly byName: Map<unknown, Key<W>>;
  /** The same keys. Some have no requests: they are remembered until virtual time comes to when they would begin. */
  readonly turns: Turns<Key<W>>;
  /** The keys by the number of their requests, or by more than that. Made by the first request that finds the queue full. */
  crowds: Turns<Key<W>> | undefined;
  /** Virtual time. */
  now: number;
  /** How many keys have requests, and what they weigh together. */
  waiting: number;
  weight: number;
  /** The cost of all requests. */
  cost: Amount;
}

/** Where a request waits. */
export interface FairLane<W> {
  readonly level: Level<W>;
  readonly key: Key<W>;
  readonly isRetry: boolean;
}

export interface Waiting<W> extends Queued<W> {
  readonly lane: FairLane<W>;
}

/** Ties go to the new key, so that it does not wait behind a large request. Its rank is lowered by this factor. */
const NEW_FIRST = 1 - 2 ** -50;

/** How many wait of a key, and so many more, by its weight. */
export function crowdOf<W>({ size, pace }: Key<W>, more = 0): number {
  return (size + more) * pace;
}

/** What a key weighs. */
export function weightOf<W>({ pace }: Key<W>): number {
  return 1 / pace;
}

/** Where a key stands in turn. It is moved when it comes to the front, if it belongs further back by then. */
export function rankOf<W>({ startsAt, isNew }: Key<W>): number {
  return isNew ? startsAt * NEW_FIRST : startsAt;
}
