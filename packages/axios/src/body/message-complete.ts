import type { Clock } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';

/** How often it is looked whether bodies have arrived, in milliseconds. */
const LOOK_EVERY_MS = 250;

/** Node's message of a response: `complete` when its last byte is there, read or not. */
interface Message {
  readonly complete?: unknown;
}

interface Awaited {
  /** Weak, since a caller may drop it: its connection may hold it, but nothing here does. */
  readonly message: WeakRef<Message>;
  readonly ended: () => void;
}

/**
 * Bodies that are awaited, by clock. Node has no event for the arrival of a body that is not read; so they are
 * looked at, all by one timer, which keeps no process alive, and which runs only while there are any.
 */
class Arrivals {
  readonly #clock: Clock;
  readonly #awaited: Set<Awaited> = new Set();
  #isArmed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(one: Awaited): void {
    this.#awaited.add(one);
    this.#arm();
  }

  delete(one: Awaited): void {
    this.#awaited.delete(one);
  }

  #arm(): void {
    if (this.#isArmed || this.#awaited.size === 0) return;
    this.#isArmed = true;
    this.#clock.schedule(() => this.#look(), LOOK_EVERY_MS, true);
  }

  #look(): void {
    this.#isArmed = false;
    for (const one of this.#awaited) {
      const message = one.message.deref();
      if (message !== undefined && message.complete !== true) continue;
      this.#awaited.delete(one);
      one.ended();
    }
    this.#arm();
  }
}

const byClock = new WeakMap<Clock, Arrivals>();

function arrivalsOf(clock: Clock): Arrivals {
  let arrivals = byClock.get(clock);
  if (arrivals === undefined) {
    arrivals = new Arrivals(clock);
    byClock.set(clock, arrivals);
  }
  return arrivals;
}

/** What the caller was given and has dropped will not be read any more. */
const dropped = new FinalizationRegistry<() => void>((ended) => ended());

/**
 * Calls `ended` when the body of a Node stream has arrived: soon if it is short, although no one reads it. Of a
 * stream that does not tell, once it was dropped and collected.
 */
export function whenArrived(stream: object, request: unknown, clock: Clock, ended: () => void): void {
  const message = messageOf(stream, request);
  if (message === undefined) {
    dropped.register(stream, ended);
    return;
  }
  if (message.complete === true) {
    ended();
    return;
  }
  const one: Awaited = { message: new WeakRef(message), ended };
  const look = (): void => {
    if (message.complete === true) ended();
    else arrivalsOf(clock).add(one);
  };
  // Most short bodies come with their headers, or right behind them.
  void nextTurn().then(look);
}

/** The stream itself, or what lies behind one that unpacks or counts. */
function messageOf(stream: Message, request: unknown): Message | undefined {
  const { res } = (request ?? {}) as { res?: Message | null };
  return [stream, res].find((one) => typeof one?.complete === 'boolean') ?? undefined;
}
