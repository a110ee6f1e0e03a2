import { copyInto } from '../../engine/typed-array.ts';

const NONE = -1;
/** A stamp has 24 bits, so that an event has room for the number of an outcome beside it. */
const STAMPS = 0xff_ffff;

/** The eight numbers of a request lie side by side, in one cache line. */
const WIDTH = 8;
const CLIENT = 0;
const ATTEMPT = 1;
const STAMP = 2;
const NEXT = 3;
const STARTED = 4;
const SINCE = 5;
const GRANTED = 6;
const BACKOFF = 7;

/** The open requests. The place of an ended request is used again, so that a request makes no garbage. */
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

  /** Reads a request, if there is one, so that it is in the processor's cache when its event happens. */
  touch(request: number): number {
    const at = request * WIDTH + CLIENT;
    return at < this.#numbers.length ? (this.#numbers[at] as number) : 0;
  }

  client(request: number): number {
    return this.#numbers[request * WIDTH + CLIENT] as number;
  }

  /** The current attempt, or the one that is waited for, from 1. */
  attempt(request: number): number {
    return this.#numbers[request * WIDTH + ATTEMPT] as number;
  }

  startedAtMs(request: number): number {
    return this.#numbers[request * WIDTH + STARTED] as number;
  }

  /** The result of the backoff rule for the previous retry; `undefined` for the first retry. */
  previousBackoffMs(request: number): number | undefined {
    const backoffMs = this.#numbers[request * WIDTH + BACKOFF] as number;
    return backoffMs < 0 ? undefined : backoffMs;
  }

  /** Starts the next attempt, which comes after this backoff. */
  retry(request: number, backoffMs: number): void {
    this.renew(request);
    const at = request * WIDTH;
    this.#numbers[at + ATTEMPT] = (this.#numbers[at + ATTEMPT] as number) + 1;
    this.#numbers[at + BACKOFF] = backoffMs;
  }

  /** Changes when earlier messages and timers of the request no longer count. */
  stamp(request: number): number {
    return this.#numbers[request * WIDTH + STAMP] as number;
  }

  /** Cancels all messages and timers of the request, and returns the new stamp. */
  renew(request: number): number {
    const stamp = (this.stamp(request) + 1) & STAMPS;
    this.#numbers[request * WIDTH + STAMP] = stamp;
    return stamp;
  }

  /** The request behind this one in its line. */
  next(request: number): number {
    return this.#numbers[request * WIDTH + NEXT] as number;
  }

  link(request: number, next: number): void {
    this.#numbers[request * WIDTH + NEXT] = next;
  }

  /** When the request began to wait for its tokens. */
  sinceMs(request: number): number {
    return this.#numbers[request * WIDTH + SINCE] as number;
  }

  startWait(request: number, nowMs: number): void {
    this.#numbers[request * WIDTH + SINCE] = nowMs;
  }

  /** When the request got its tokens. */
  grantedAtMs(request: number): number {
    return this.#numbers[request * WIDTH + GRANTED] as number;
  }

  grant(request: number, nowMs: number): void {
    this.#numbers[request * WIDTH + GRANTED] = nowMs;
  }
}
