import {
  type Backlog,
  type Commands,
  isOpen,
  isSettling,
  isTooLate,
  type LeaseEvent,
  type LeaseState,
  lease,
  leftOf,
  newLease,
  type OpenCall,
  shareAt,
  take,
} from '../src/lease.ts';
import { fleetSetup, type ValkeyBucketOptions } from '../src/options.ts';
import type { Amounts, LeaseMark, RawReply, StoreCall } from '../src/store-call.ts';

export const TOKEN = 1e6;

/** How a call ended. */
export interface Ended {
  readonly call: StoreCall;
  readonly sentAtMs: number;
  readonly reply?: RawReply | undefined;
  readonly error?: unknown;
  readonly state?: 'given up' | 'late';
}

/** What a step says, with the calls alone. */
export type Step = Omit<Commands, 'calls'> & { readonly calls: readonly StoreCall[] };

const client = { evalsha: () => Promise.reject(), eval: () => Promise.reject() };

/** Requests of one token that wait. */
export function waiting(count: number, deadlineMs: number = Number.POSITIVE_INFINITY): Backlog {
  return {
    ...{ count, firstDeadlineMs: deadlineMs, firstCost: [count > 0 ? TOKEN : 0], totalCost: [count * TOKEN] },
    costs: new Array<Amounts>(count).fill([TOKEN]),
  };
}

export const EMPTY_BACKLOG: Backlog = waiting(0);

/** The lease of one process, without a store and without a clock. */
export class LoneLease {
  state: LeaseState;
  readonly #open = new Map<StoreCall, OpenCall>();

  constructor(options: Partial<ValkeyBucketOptions> = {}) {
    const limit = { refillPerSecond: 100, capacity: 20 };
    this.state = newLease(fleetSetup({ client, key: 'k', ...limit, random: () => 0, ...options }), 'p', 0);
  }

  tell(event: LeaseEvent, nowMs: number): Commands {
    const [state, commands] = lease(this.state, event, nowMs);
    this.state = state;
    for (const one of commands.calls) this.#open.set(one.call, one);
    return commands;
  }

  step(nowMs: number, backlog: Backlog = EMPTY_BACKLOG, ended?: Ended): Step {
    const to = ended && (this.#open.get(ended.call) as OpenCall);
    const { reply, error, state } = ended ?? {};
    // Tests may say that a call was sent at another time.
    const answer = ended && {
      to: { ...(to as OpenCall), sentAtMs: ended.sentAtMs },
      ...{ sentAtMs: ended.sentAtMs, reply, error, state },
    };
    const { calls, ...commands } = this.tell({ type: 'step', backlog, answer }, nowMs);
    return { ...commands, calls: calls.map(({ call }) => call) };
  }

  /** A call that is sent at once. */
  peek(nowMs: number): StoreCall {
    return (this.tell({ type: 'peek' }, nowMs).calls[0] as OpenCall).call;
  }

  take(amounts: Amounts, nowMs: number): boolean {
    return take(this.state, amounts, nowMs) !== undefined;
  }

  settle(surplus: Amounts, held: readonly (LeaseMark | undefined)[], nowMs: number): void {
    this.tell({ type: 'settle', surplus, held }, nowMs);
  }

  pause(endsAtMs: number, nowMs: number): void {
    this.tell({ type: 'pause', endsAtMs }, nowMs);
  }

  isTooLate(lacking: Amounts, byMs: number, nowMs: number): boolean {
    return isTooLate(this.state, lacking, byMs, nowMs);
  }

  isOpen(nowMs: number): boolean {
    return isOpen(this.state, nowMs);
  }

  shareAt(nowMs: number): number {
    return shareAt(this.state, nowMs);
  }

  get isSettling(): boolean {
    return isSettling(this.state);
  }

  /** What is leased and not spent. */
  get left(): number {
    return this.state.units.reduce((sum, unit) => sum + leftOf(unit), 0);
  }
}

/** What a reply tells, if it is not what most replies tell. Durations are in milliseconds. */
export type Told = Partial<Omit<RawReply, 'granted'>> & {
  readonly granted?: number;
  readonly emptyInMs?: number;
  /** The store has lost the bucket since the reply before. */
  readonly lostBucket?: boolean;
};

let atUs = 1e6;
let epoch = 1;

/** A reply that comes later than all before. */
export function reply({ granted = 0, emptyInMs = -200, lostBucket = false, ...parts }: Told = {}): RawReply {
  atUs += 1_000;
  if (lostBucket) epoch += 1;
  return {
    ...{ tooLate: false, atUs, writtenUs: atUs, frame: 1, shiftUs: 0, epoch, version: 1 },
    ...{ pausedUs: 0, resumedUs: 0, processes: 1, total: 0, endsUs: 0, share: undefined, waitMs: 0 },
    ...{ granted: [granted], emptyUs: [atUs + emptyInMs * 1_000], givenUs: [0], baseUs: [0] },
    ...{ averageLease: [0], limits: undefined },
    ...parts,
  };
}
