import type { FleetBucket, FleetTokens, LineRules } from './fleet-tokens.ts';
import type { Requests } from './requests.ts';

const NONE = -1;
const NEVER = Number.POSITIVE_INFINITY;

/** What becomes of a request that asks for tokens. */
export type Admission = 'go' | 'marked' | 'wait' | 'refused';

/**
 * For each client the requests that wait for its tokens: first come, first served, a retry before new requests,
 * as in the token bucket of core. A line is two numbers for each client and one for each request.
 */
export class TokenLines {
  readonly #rules: LineRules;
  readonly #cost: number;
  readonly #tokens: FleetTokens;
  readonly #requests: Requests;
  /** Two lanes for each client: new requests at an even place, retries at the odd one after it. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #waiting: Int32Array;
  readonly #looksAtMs: Float64Array;
  /** Has {@link look} called for a client at a moment. */
  readonly #lookAt: (client: number, atMs: number) => void;

  constructor(
    clients: number,
    { rules, tokens }: FleetBucket,
    cost: number,
    requests: Requests,
    lookAt: (client: number, atMs: number) => void,
  ) {
    this.#rules = rules;
    this.#tokens = tokens;
    this.#cost = cost;
    this.#requests = requests;
    this.#lookAt = lookAt;
    this.#first = new Int32Array(2 * clients).fill(NONE);
    this.#last = new Int32Array(2 * clients).fill(NONE);
    this.#waiting = new Int32Array(clients);
    this.#looksAtMs = new Float64Array(clients).fill(NEVER);
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
    if (waitMs > Math.min(patienceMs, maxWaitMs)) return 'refused';
    if ((this.#waiting[client] as number) >= maxQueue) return 'refused';
    this.#join(request, 2 * client + (retry ? 1 : 0));
    this.#waiting[client] = (this.#waiting[client] as number) + 1;
    if (nowMs + waitMs < (this.#looksAtMs[client] as number)) this.#look(client, nowMs + waitMs);
    return 'wait';
  }

  /** How many go before a newcomer, as far as is sure. */
  #ahead(client: number, retry: boolean, nowMs: number): number {
    const waiting = this.#waiting[client] as number;
    if (waiting === 0 || !retry) return waiting;
    let ahead = 0;
    const requests = this.#requests;
    for (let at = this.#first[2 * client + 1] as number; at !== NONE; at = requests.next(at)) ahead += 1;
    // Those who have waited for longer than a retry's head start go before it, too.
    const newcomer = this.#first[2 * client] as number;
    if (ahead === 0 && newcomer !== NONE && nowMs - requests.sinceMs(newcomer) > this.#rules.headStartMs) {
      return 1;
    }
    return ahead;
  }

  #join(request: number, lane: number): void {
    const last = this.#last[lane] as number;
    this.#requests.link(request, NONE);
    if (last === NONE) this.#first[lane] = request;
    else this.#requests.link(last, request);
    this.#last[lane] = request;
  }

  #look(client: number, atMs: number): void {
    this.#looksAtMs[client] = atMs;
    this.#lookAt(client, atMs);
  }

  /** The lane of the one whose turn it is. */
  #laneInTurn(client: number): number {
    const requests = this.#requests;
    const newcomer = this.#first[2 * client] as number;
    const retry = this.#first[2 * client + 1] as number;
    if (newcomer === NONE) return 2 * client + 1;
    if (retry === NONE) return 2 * client;
    const { headStartMs } = this.#rules;
    const retryGoes = requests.sinceMs(retry) - headStartMs <= requests.sinceMs(newcomer);
    return 2 * client + (retryGoes ? 1 : 0);
  }

  /**
   * Answers a request of the client's that may go now, and is out of the line; below 0 when there is none. To be
   * asked again until there is none.
   */
  look(client: number, nowMs: number): number {
    if (nowMs < (this.#looksAtMs[client] as number)) return NONE;
    if ((this.#waiting[client] as number) === 0) {
      this.#looksAtMs[client] = NEVER;
      return NONE;
    }
    if (!this.#tokens.take(client, this.#cost, nowMs)) {
      this.#look(client, nowMs + Math.max(1e-3, this.#tokens.waitMs(client, this.#cost, nowMs)));
      return NONE;
    }
    const lane = this.#laneInTurn(client);
    const request = this.#first[lane] as number;
    this.#remove(request, NONE, lane);
    return request;
  }

  #remove(request: number, before: number, lane: number): void {
    const after = this.#requests.next(request);
    if (before === NONE) this.#first[lane] = after;
    else this.#requests.link(before, after);
    if (after === NONE) this.#last[lane] = before;
    const owner = this.#requests.client(request);
    this.#waiting[owner] = (this.#waiting[owner] as number) - 1;
  }

  /** Takes a request out whose patience is at an end. */
  leave(request: number): void {
    const requests = this.#requests;
    const lane = 2 * requests.client(request) + (requests.attempt(request) > 1 ? 1 : 0);
    let before = NONE;
    for (let at = this.#first[lane] as number; at !== NONE; at = requests.next(at)) {
      if (at === request) {
        this.#remove(request, before, lane);
        return;
      }
      before = at;
    }
  }
}
