/** The most of a crowd that wake in one turn. Each may send a request, which takes up to a tenth of a millisecond. */
const SLICE = 100;

/** The next turn should be milliseconds away. After a second it is lost: it was a turn of fake timers that were cleared. */
const LOST_MS = 1_000;

/** What sleepers need of a clock. */
export interface Time {
  now(): number;
  schedule(wake: () => void, delayMs: number, inBackground: boolean, isWait: boolean): () => void;
}

interface Sleeper {
  readonly wake: () => void;
}

/** Those that are due in the same millisecond. */
interface Group {
  readonly sleepers: Set<Sleeper>;
  readonly cancelTimer: () => void;
}

/**
 * Wakes sleepers in slices, a turn of the event loop each, so that 100,000 retries that are due at once do not block the
 * program until all of them are sent. None wakes early. In a crowd each is late by the time that those before it take.
 *
 * The first hundred have a timer each, so that none depends on another. Only in a crowd is a timer shared, by those that are
 * due in the same millisecond.
 *
 * For promises only: a wake-up runs in the async context of another sleeper. What awaits a promise keeps its own.
 */
export class Sleepers {
  readonly #time: Time;
  readonly #nextTurn: () => Promise<void>;
  /** How many have a timer of their own. */
  #alone = 0;
  /** The others, by when they are due. */
  readonly #groups = new Map<number, Group>();
  /** What is left of the groups that were due, in the order in which their timers fired. */
  readonly #due: Iterator<Sleeper>[] = [];
  /** Counts the slices. */
  #slice = 0;
  /** When the last slice woke, in this turn; `-Infinity` in a turn that may have another. */
  #slicedAtMs = Number.NEGATIVE_INFINITY;

  /** @param nextTurn resolves in another turn of the event loop */
  constructor(time: Time, nextTurn: () => Promise<void>) {
    this.#time = time;
    this.#nextTurn = nextTurn;
  }

  /**
   * Calls `wake` once, no earlier than `delayMs` milliseconds from now. Returns a function that cancels the call; it must not
   * be called again, or after `wake`.
   */
  schedule(wake: () => void, delayMs: number): () => void {
    return this.#alone < SLICE ? this.#scheduleAlone(wake, delayMs) : this.#scheduleInGroup(wake, delayMs);
  }

  #scheduleAlone(wake: () => void, delayMs: number): () => void {
    this.#alone += 1;
    const alone = (): void => {
      this.#alone -= 1;
      wake();
    };
    const cancelTimer = this.#time.schedule(alone, delayMs, false, true);
    return () => {
      this.#alone -= 1;
      cancelTimer();
    };
  }

  #scheduleInGroup(wake: () => void, delayMs: number): () => void {
    const nowMs = this.#time.now();
    const dueMs = Math.ceil(nowMs + delayMs);
    const { sleepers, cancelTimer } = this.#groups.get(dueMs) ?? this.#addGroup(dueMs, nowMs);
    const sleeper = { wake };
    sleepers.add(sleeper);
    return () => {
      sleepers.delete(sleeper);
      if (sleepers.size > 0) return;
      cancelTimer();
      this.#groups.delete(dueMs);
    };
  }

  #addGroup(dueMs: number, nowMs: number): Group {
    const sleepers = new Set<Sleeper>();
    const due = (): void => {
      this.#groups.delete(dueMs);
      this.#due.push(sleepers.values());
      if (this.#time.now() > this.#slicedAtMs + LOST_MS) this.#wakeSlice();
    };
    const cancelTimer = this.#time.schedule(due, dueMs - nowMs, false, true);
    const group = { sleepers, cancelTimer };
    this.#groups.set(dueMs, group);
    return group;
  }

  #wakeSlice(): void {
    this.#slicedAtMs = this.#time.now();
    this.#slice += 1;
    const slice = this.#slice;
    void this.#nextTurn().then(() => {
      if (slice !== this.#slice) return;
      this.#slicedAtMs = Number.NEGATIVE_INFINITY;
      if (this.#due.length > 0) this.#wakeSlice();
    });
    for (let left = SLICE; left > 0; ) {
      const next = this.#due[0]?.next();
      if (next === undefined) break;
      if (next.done) this.#due.shift();
      else {
        left -= 1;
        next.value.wake();
      }
    }
  }
}
