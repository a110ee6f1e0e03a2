import type { ClientBuckets, ClientTokens, LineRules } from './client-buckets.ts';
import type { Requests } from './requests.ts';

const NONE = -1;
const NEVER = Number.POSITIVE_INFINITY;

/** Times are sums of fractions, as in core: what is this little too late is in time. And no look is sooner. */
const TOLERANCE_MS = 1e-3;

/** What becomes of a request that asks for tokens. */
export type Admission = 'go' | 'marked' | 'wait' | 'refused';

/** A client is eight numbers side by side: just what memory fetches at once. */
const WIDTH = 8;
/** Two lanes, of new requests and of retries, each with its first and its last. */
const FIRST = 0;
const LAST = 1;
const LANES = 2;
const WAITING = 4;
const LOOKS_AT = 5;

/**
 * For each client the requests that wait for its tokens: first come, first served, a retry before new requests,
 * as in the token bucket of core.
 */
export class TokenLines {
  readonly #rules: LineRules;
  readonly #cost: number;
  readonly #tokens: ClientTokens;
  readonly #requests: Requests;
  readonly #clients: Float64Array;
  /** Has {@link look} called for a client at a moment. */
  readonly #lookAt: (client: number, atMs: number) => void;

  constructor(
    clients: number,
    { rules, tokens }: ClientBuckets,
    cost: number,
    requests: Requests,
    lookAt: (client: number, atMs: number) => void,
  ) {
    this.#rules = rules;
    this.#tokens = tokens;
    this.#cost = cost;
    this.#requests = requests;
    this.#lookAt = lookAt;
    this.#clients = new Float64Array(WIDTH * clients).fill(NONE);
    for (let at = 0; at < this.#clients.length; at += WIDTH) {
      this.#clients[at + WAITING] = 0;
      this.#clients[at + LOOKS_AT] = NEVER;
    }
  }

  ask(request: number, patienceMs: number, nowMs: number): Admission {
    const { nonConforming, maxQueue, maxWaitMs } = this.#rules;
    const requests = this.#requests;
    const client = requests.client(request);
    const retry = requests.attempt(request) > 1;
    requests.ask(request, nowMs);
    const ahead = this.#ahead(client, retry, nowMs);
    if (ahead === 0 && this.#tokens.take(client, this.#cost, nowMs)) return 'go';
    if (nonConforming === 'mark') return 'marked';
    if (nonConforming === 'reject') return 'refused';
    const waitMs = this.#tokens.waitMs(client, (ahead + 1) * this.#cost, nowMs);
    const longestMs = Math.min(patienceMs, maxWaitMs);
    if (longestMs === 0 || waitMs > longestMs + TOLERANCE_MS) return 'refused';
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

  /** How many go before one who asks now, if none of them leaves. */
  #ahead(client: number, retry: boolean, nowMs: number): number {
    const waiting = this.#waiting(client);
    if (waiting === 0 || !retry) return waiting;
    const requests = this.#requests;
    let ahead = 0;
    for (let at = this.#first(laneOf(client, true)); at !== NONE; at = requests.next(at)) ahead += 1;
    // New requests that have waited for longer than a retry's head start go before it also.
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

  /** The lane of the one whose turn it is. */
  #laneInTurn(client: number): number {
    const lanes = [laneOf(client, false), laneOf(client, true)] as const;
    const newcomer = this.#first(lanes[0]);
    const retry = this.#first(lanes[1]);
    if (newcomer === NONE) return lanes[1];
    if (retry === NONE) return lanes[0];
    const requests = this.#requests;
    const retryGoes = requests.sinceMs(retry) - this.#rules.headStartMs <= requests.sinceMs(newcomer);
    return retryGoes ? lanes[1] : lanes[0];
  }

  /**
   * Answers a request of the client's that may go now, and is out of the line; below 0 when there is none. To be
   * asked again until there is none.
   */
  look(client: number, nowMs: number): number {
    if (nowMs < this.#looksAtMs(client)) return NONE;
    if (this.#waiting(client) === 0) {
      this.#clients[client * WIDTH + LOOKS_AT] = NEVER;
      return NONE;
    }
    const request = this.serve(client, nowMs);
    if (request === NONE) {
      this.#lookLater(client, nowMs + Math.max(TOLERANCE_MS, this.#tokens.waitMs(client, this.#cost, nowMs)));
    }
    return request;
  }

  /** As {@link look}, at any time, and without another look to come. */
  serve(client: number, nowMs: number): number {
    if (this.#waiting(client) === 0 || !this.#tokens.take(client, this.#cost, nowMs)) return NONE;
    const lane = this.#laneInTurn(client);
    const request = this.#first(lane);
    this.#remove(request, NONE, lane);
    return request;
  }

  #remove(request: number, before: number, lane: number): void {
    const after = this.#requests.next(request);
    if (before === NONE) this.#clients[lane + FIRST] = after;
    else this.#requests.link(before, after);
    if (after === NONE) this.#clients[lane + LAST] = before;
    const client = this.#requests.client(request);
    this.#clients[client * WIDTH + WAITING] = this.#waiting(client) - 1;
  }

  /** Takes a request out whose patience is at an end. */
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

/** Where a client's line of new requests, or of retries, begins. */
function laneOf(client: number, retry: boolean): number {
  return client * WIDTH + (retry ? LANES : 0);
}
