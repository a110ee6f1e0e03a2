import type { ClientBuckets, LineRules } from './client-buckets.ts';
import type { ClientTokens } from './client-tokens.ts';
import type { Requests } from './requests.ts';

const NONE = -1;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Times are sums of fractions: a wait that is longer than allowed by less than this is in time, as in core. Also the
 * shortest time between two looks at a line.
 */
const TOLERANCE_MS = 1e-3;

/** The admission of a request that needs tokens. */
export type Admission = 'go' | 'marked' | 'wait' | 'refused';

/** The numbers of one client lie side by side, in one cache line. */
const WIDTH = 8;
/** Two lanes, for new requests and for retries, each with its first and its last request. */
const FIRST = 0;
const LAST = 1;
const LANES = 2;
const WAITING = 4;
const LOOKS_AT = 5;

/**
 * The requests of each client that wait for its tokens: first come, first served, and retries ahead of new requests,
 * as in core's token bucket. `token-lines.property.test.ts` holds the two against each other.
 */
export class TokenLines {
  readonly #rules: LineRules;
  readonly #tokens: ClientTokens;
  readonly #requests: Requests;
  readonly #clients: Float64Array;
  /** Schedules a call of {@link look} for a client. */
  readonly #lookAt: (client: number, atMs: number) => void;

  constructor(
    clients: number,
    { rules, tokens }: ClientBuckets,
    requests: Requests,
    lookAt: (client: number, atMs: number) => void,
  ) {
    this.#rules = rules;
    this.#tokens = tokens;
    this.#requests = requests;
    this.#lookAt = lookAt;
    this.#clients = new Float64Array(WIDTH * clients).fill(NONE);
    for (let at = 0; at < this.#clients.length; at += WIDTH) {
      this.#clients[at + WAITING] = 0;
      this.#clients[at + LOOKS_AT] = NEVER;
    }
  }

  /** Takes the tokens of a request, or lets it wait for them, at most `maxWaitMs`. */
  acquire(request: number, maxWaitMs: number, nowMs: number): Admission {
    const { nonConforming, maxQueue } = this.#rules;
    const requests = this.#requests;
    const client = requests.client(request);
    const retry = requests.attempt(request) > 1;
    requests.startWait(request, nowMs);
    const ahead = this.#ahead(client, retry, nowMs);
    if (ahead === 0 && this.#tokens.take(client, nowMs)) {
      this.#tokens.keep?.(request);
      return 'go';
    }
    if (nonConforming === 'mark') return 'marked';
    if (nonConforming === 'reject') return 'refused';
    const waitMs = this.#tokens.waitMs(client, ahead + 1, nowMs);
    if (maxWaitMs === 0 || waitMs > maxWaitMs + TOLERANCE_MS) return 'refused';
    if (this.#waiting(client) >= maxQueue) return 'refused';
    this.#join(request, laneOf(client, retry));
    this.#clients[client * WIDTH + WAITING] = this.#waiting(client) + 1;
    if (nowMs + waitMs < this.#looksAtMs(client)) this.#lookLater(client, nowMs + waitMs);
    return 'wait';
  }

  #waiting(client: number): number {
    return this.#clients[client * WIDTH + WAITING] as number;
  }

  #looksAtMs(client: number): number {
    return this.#clients[client * WIDTH + LOOKS_AT] as number;
  }

  #first(lane: number): number {
    return this.#clients[lane + FIRST] as number;
  }

  /** How many waiting requests come before a request that arrives now, if none of them leaves. */
  #ahead(client: number, retry: boolean, nowMs: number): number {
    const waiting = this.#waiting(client);
    if (waiting === 0 || !retry) return waiting;
    const requests = this.#requests;
    let ahead = 0;
    for (let at = this.#first(laneOf(client, true)); at !== NONE; at = requests.next(at)) ahead += 1;
    // New requests that have waited for longer than the head start of retries come first.
    const beforeMs = nowMs - this.#rules.headStartMs;
    let at = this.#first(laneOf(client, false));
    for (; at !== NONE && requests.sinceMs(at) < beforeMs; at = requests.next(at)) ahead += 1;
    return ahead;
  }

  #join(request: number, lane: number): void {
    const last = this.#clients[lane + LAST] as number;
    this.#requests.link(request, NONE);
    if (last === NONE) this.#clients[lane + FIRST] = request;
    else this.#requests.link(last, request);
    this.#clients[lane + LAST] = request;
  }

  #lookLater(client: number, atMs: number): void {
    this.#clients[client * WIDTH + LOOKS_AT] = atMs;
    this.#lookAt(client, atMs);
  }

  /** The lane of the request that is next. */
  #nextLane(client: number): number {
    const lanes = [laneOf(client, false), laneOf(client, true)] as const;
    const fresh = this.#first(lanes[0]);
    const retry = this.#first(lanes[1]);
    if (fresh === NONE) return lanes[1];
    if (retry === NONE) return lanes[0];
    const requests = this.#requests;
    const retryIsNext = requests.sinceMs(retry) - this.#rules.headStartMs <= requests.sinceMs(fresh);
    return retryIsNext ? lanes[1] : lanes[0];
  }

  /**
   * Removes a request of the client that has its tokens now, and returns it; below 0 if there is none. Call it until
   * there is none.
   */
  look(client: number, nowMs: number): number {
    if (nowMs < this.#looksAtMs(client)) return NONE;
    if (this.#waiting(client) === 0) {
      this.#clients[client * WIDTH + LOOKS_AT] = NEVER;
      return NONE;
    }
    const request = this.serve(client, nowMs);
    if (request === NONE) {
      this.#lookLater(client, nowMs + Math.max(TOLERANCE_MS, this.#tokens.dueMs(client, nowMs)));
    }
    return request;
  }

  /** As {@link look}, but at any time, and without scheduling another look. */
  serve(client: number, nowMs: number): number {
    if (this.#waiting(client) === 0 || !this.#tokens.take(client, nowMs)) return NONE;
    const lane = this.#nextLane(client);
    const request = this.#first(lane);
    this.#remove(request, NONE, lane);
    this.#tokens.keep?.(request);
    return request;
  }

  /** Tokens of a client were given back: those that wait for them may come sooner. */
  returned(client: number, nowMs: number): void {
    if (this.#waiting(client) === 0) return;
    const atMs = nowMs + this.#tokens.dueMs(client, nowMs);
    if (atMs < this.#looksAtMs(client)) this.#lookLater(client, atMs);
  }

  #remove(request: number, before: number, lane: number): void {
    const after = this.#requests.next(request);
    if (before === NONE) this.#clients[lane + FIRST] = after;
    else this.#requests.link(before, after);
    if (after === NONE) this.#clients[lane + LAST] = before;
    const client = this.#requests.client(request);
    this.#clients[client * WIDTH + WAITING] = this.#waiting(client) - 1;
  }

  /** Removes a request that may wait no longer. */
  leave(request: number): void {
    const requests = this.#requests;
    const lane = laneOf(requests.client(request), requests.attempt(request) > 1);
    let before = NONE;
    for (let at = this.#first(lane); at !== NONE; at = requests.next(at)) {
      if (at === request) {
        this.#remove(request, before, lane);
        return;
      }
      before = at;
    }
  }
}

/** The index of a client's lane for new requests or for retries. */
function laneOf(client: number, retry: boolean): number {
  return client * WIDTH + (retry ? LANES : 0);
}
