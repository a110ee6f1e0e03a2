import { copyInto } from '../../engine/typed-array.ts';

const NONE = -1;
/** A stamp fits in 24 bits, and the number of an outcome beside it. */
const STAMPS = 0xff_ffff;

/** A request is eight numbers side by side: just what memory fetches at once. */
const WIDTH = 8;
const CLIENT = 0;
const ATTEMPT = 1;
const STAMP = 2;
const NEXT = 3;
const STARTED = 4;
const SINCE = 5;
const GRANTED = 6;
const BACKOFF = 7;

/**
 * The requests that are under way. Each has a place that another takes when it is over, so that a request
 * makes no garbage.
 */
export class Requests {
  open = 0;
  #numbers: Float64Array = new Float64Array(WIDTH * 1_024);
  #free = NONE;
  #used = 0;

  begin(client: number, nowMs: number): number {
    let request = this.#free;
    if (request === NONE) {
      if (this.#used * WIDTH === this.#numbers.length) {
        this.#numbers = copyInto(new Float64Array(2 * this.#numbers.length), this.#numbers);
      }
      request = this.#used;
      this.#used += 1;
    } else {
      this.#free = this.next(request);
    }
    this.open += 1;
    const numbers = this.#numbers;
    const at = request * WIDTH;
    numbers[at + CLIENT] = client;
    numbers[at + ATTEMPT] = 1;
    numbers[at + STARTED] = nowMs;
    numbers[at + BACKOFF] = -1;
    return request;
  }

  end(request: number): void {
    this.open -= 1;
    this.renew(request);
    this.link(request, this.#free);
    this.#free = request;
  }

  /** Looks at a request, if there is one, so that it is at hand when it is asked for. */
  touch(request: number): number {
    const at = request * WIDTH + CLIENT;
    return at < this.#numbers.length ? (this.#numbers[at] as number) : 0;
  }

  client(request: number): number {
    return this.#numbers[request * WIDTH + CLIENT] as number;
  }

  /** The attempt that is under way or awaited, from 1. */
  attempt(request: number): number {
    return this.#numbers[request * WIDTH + ATTEMPT] as number;
  }

  startedAtMs(request: number): number {
    return this.#numbers[request * WIDTH + STARTED] as number;
  }

  /** What the backoff rule answered for the retry before; `undefined` at the first. */
  previousBackoffMs(request: number): number | undefined {
    const backoffMs = this.#numbers[request * WIDTH + BACKOFF] as number;
    return backoffMs < 0 ? undefined : backoffMs;
  }

  /** Goes on to the next attempt, after a backoff. */
  retry(request: number, backoffMs: number): void {
    this.renew(request);
    const at = request * WIDTH;
    this.#numbers[at + ATTEMPT] = (this.#numbers[at + ATTEMPT] as number) + 1;
    this.#numbers[at + BACKOFF] = backoffMs;
  }

  /** Changes with everything that makes what was sent before irrelevant. */
  stamp(request: number): number {
    return this.#numbers[request * WIDTH + STAMP] as number;
  }

  /** Makes everything irrelevant that was sent for the request, and answers the new stamp. */
  renew(request: number): number {
    const stamp = (this.stamp(request) + 1) & STAMPS;
    this.#numbers[request * WIDTH + STAMP] = stamp;
    return stamp;
  }

  /** The next in whatever line the request stands. */
  next(request: number): number {
    return this.#numbers[request * WIDTH + NEXT] as number;
  }

  link(request: number, next: number): void {
    this.#numbers[request * WIDTH + NEXT] = next;
  }

  /** When it asked for tokens. */
  sinceMs(request: number): number {
    return this.#numbers[request * WIDTH + SINCE] as number;
  }

  ask(request: number, nowMs: number): void {
    this.#numbers[request * WIDTH + SINCE] = nowMs;
  }

  /** When it had its tokens. */
  grantedAtMs(request: number): number {
    return this.#numbers[request * WIDTH + GRANTED] as number;
  }

  grant(request: number, nowMs: number): void {
    this.#numbers[request * WIDTH + GRANTED] = nowMs;
  }
}
