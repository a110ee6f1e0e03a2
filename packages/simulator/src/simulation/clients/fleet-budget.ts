import { type RetryBudget, retryBudget } from '@ebb/core';
import { LeasedRetries, leaseOf } from '@ebb/core/bucket';
import { EventHeap } from '../../engine/event-heap.ts';
import type { Environment } from '../../scenario/client-options.ts';
import type { SharedBudgetOptions } from '../../scenario/fleet-policy.ts';

/** The part of the budget that one client holds, and the reply on its way to the client. */
interface Holder {
  readonly lease: LeasedRetries;
  replyAtMs: number;
  granted: number;
  sentAtMs: number;
}

/**
 * A retry budget for a whole fleet, kept in a store like `valkeyBudget`. Clients use the class that
 * @ebb/valkey uses, and the store is a `retryBudget` of core.
 *
 * The budget needs no events of the simulation. The store handles a call at the time it is sent, and the reply counts
 * when it has arrived. All calls take equally long, so the order of the calls in the store stays the same. Calls that
 * are due are made before anything later happens.
 */
export class FleetBudget {
  readonly #environment: Environment;
  readonly #terms: { readonly aheadMs: number; readonly windowMs: number };
  readonly #roundTripMs: number;
  readonly #store: RetryBudget;
  readonly #holders: (Holder | undefined)[];
  /** When a client may have a call to make. */
  readonly #later = new EventHeap();
  #order = 0;
  /** The time in the store, which lags behind while calls that were due earlier are made. */
  #storeMs = 0;
  calls = 0;

  constructor(options: SharedBudgetOptions, clients: number, environment: Environment) {
    const { ratio = 0.2, reserve = 10, windowMs = 10_000, aheadMs = 100, roundTripMs = 2 } = options;
    this.#environment = environment;
    this.#terms = { aheadMs: Math.min(aheadMs, windowMs / 10), windowMs };
    this.#roundTripMs = roundTripMs;
    const clock = { now: () => this.#storeMs, schedule: () => () => {} };
    this.#store = retryBudget({ ratio, reserve, windowMs, clock });
    this.#holders = new Array(clients);
  }

  /** The budget as one client sees it. */
  of(client: number): Omit<RetryBudget, 'limit'> & { begin(): void; end(): void } {
    const act = <T>(what: (lease: LeasedRetries, nowMs: number) => T): T => this.#act(client, what);
    return {
      get balance() {
        return act((lease, nowMs) => lease.leased(nowMs));
      },
      begin: () => act((lease, nowMs) => lease.begin(nowMs)),
      end: () => act((lease) => lease.end()),
      deposit: () => act((lease) => lease.deposit()),
      withdraw: () => act((lease, nowMs) => lease.withdraw(nowMs)),
      refund: () => act((lease, nowMs) => lease.refund(nowMs)),
    };
  }

  #act<T>(client: number, what: (lease: LeasedRetries, nowMs: number) => T): T {
    const nowMs = this.#environment.clock.now();
    this.#catchUp(nowMs);
    this.#holders[client] ??= {
      lease: new LeasedRetries(this.#terms),
      replyAtMs: Number.POSITIVE_INFINITY,
      granted: 0,
      sentAtMs: 0,
    };
    const holder = this.#holders[client];
    this.#receive(holder, nowMs);
    const result = what(holder.lease, nowMs);
    // Like the real one, which calls at the end of the turn: everything of one time goes into one call.
    if (holder.lease.dueMs <= nowMs) this.#put(nowMs, client);
    return result;
  }

  #put(atMs: number, client: number): void {
    this.#later.push(atMs, this.#order, client, 0);
    this.#order += 1;
  }

  /** Makes the calls that were due before now. */
  #catchUp(nowMs: number): void {
    while (this.#later.nextAtMs < nowMs) {
      const atMs = this.#later.nextAtMs;
      this.#later.pop();
      const client = this.#later.event;
      const holder = this.#holders[client] as Holder;
      this.#receive(holder, atMs);
      if (holder.lease.dueMs <= atMs) this.#call(holder, client, atMs);
    }
  }

  #receive(holder: Holder, nowMs: number): void {
    if (holder.replyAtMs > nowMs) return;
    holder.lease.callEnded();
    holder.lease.granted(holder.granted, holder.sentAtMs);
    holder.replyAtMs = Number.POSITIVE_INFINITY;
  }

  #call(holder: Holder, client: number, nowMs: number): void {
    this.calls += 1;
    this.#storeMs = nowMs;
    const store = this.#store;
    const { deposits, returned, wanted } = holder.lease.call(nowMs);
    for (let count = 0; count < deposits; count += 1) store.deposit();
    for (let count = 0; count < returned; count += 1) store.refund?.();
    const granted = leaseOf(wanted, Math.floor(store.balance));
    for (let count = 0; count < granted; count += 1) store.withdraw();
    holder.granted = granted;
    holder.sentAtMs = nowMs;
    holder.replyAtMs = nowMs + this.#roundTripMs;
    // By then there may be more to report, or a lease to return.
    this.#put(nowMs + Math.max(this.#roundTripMs, this.#terms.aheadMs), client);
  }
}
