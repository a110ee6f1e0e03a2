import { InvalidReply, readNumbers } from './store-error.ts';

// The protocol of the bucket's script: its arguments and its reply. Amounts are millionths of a token.

/** Leases tokens. */
export interface TokenLeaseCall {
  readonly mode: 'lease';
  /** Leased in any case, unless it takes longer than `withinMs`. */
  readonly minAmount: number;
  /** The most to lease of the tokens that are available. */
  readonly maxAvailable: number;
  /** The most to lease of the tokens that are yet to come in. */
  readonly maxFuture: number;
  /** How long the first request may wait for `minAmount`, in milliseconds; `Infinity` for any time. */
  readonly withinMs: number;
}

/** One call of the script. */
export type StoreCall =
  | TokenLeaseCall
  /** Returns unspent tokens. `leaseState` is the {@link Reply.state} of their lease. */
  | { readonly mode: 'refund'; readonly amount: number; readonly leaseState: string }
  /** Charges tokens that were spent without a lease. */
  | { readonly mode: 'spend'; readonly amount: number }
  | { readonly mode: 'pause'; readonly durationMs: number }
  | { readonly mode: 'unpause' }
  /** The first call after an outage. */
  | { readonly mode: 'resume'; readonly outageMs: number; readonly handoverMs: number }
  /** Reads the state. */
  | { readonly mode: 'peek' };

/** A reply of the script. Durations are from now, in milliseconds. */
export interface Reply {
  /** Tokens leased, charged or refunded; in other modes 1 if something was done, else 0. */
  readonly granted: number;
  /** If a lease was refused: how long until its tokens come within `withinMs`. */
  readonly waitMs: number;
  /** When the bucket is empty and tokens come in again; below 0: how long ago that was. */
  readonly emptyInMs: number;
  /** How long the bucket stays paused; 0 if it is not. */
  readonly pausedMs: number;
  /** When the server replied, on its own clock, in microseconds. */
  readonly atUs: number;
  /** The average lease of a process whose requests wait; 0 if none has waited yet. */
  readonly averageLease: number;
  /** How many processes leased tokens lately. */
  readonly processes: number;
  /** When the bucket serves again after an outage; 0 or less: for how long it already has, since the outage began. */
  readonly resumeInMs: number;
  /** The state of the bucket after the call. The next call hands it in, so that the store cannot lose it. */
  readonly state: string;
  /** The call reached the store after its deadline, and did nothing. */
  readonly tooLate: boolean;
  /** The store has lost the bucket since its last reply. */
  readonly lostBucket: boolean;
}

/** The fields of {@link Reply.state} that a process reads; script.ts describes all of them. */
export interface ParsedState {
  /** When the bucket was created or last lost, on the server's clock. */
  readonly epoch: string;
  /** Until when the store has to keep the bucket, on its own clock, in microseconds. */
  readonly keptUntilUs: number;
}

const wholeUs = (ms: number): string => Math.ceil(ms * 1_000).toFixed(0);

/** The arguments of a call that depend on its mode. */
export function argumentsOf(call: StoreCall): string[] {
  switch (call.mode) {
    case 'lease':
      return [
        ...[`${call.minAmount}`, `${call.maxAvailable}`, '', `${call.maxFuture}`],
        call.withinMs === Number.POSITIVE_INFINITY ? '-1' : wholeUs(Math.max(0, call.withinMs)),
      ];
    case 'refund':
      return [`${call.amount}`, '0', call.leaseState, '0', '0'];
    case 'spend':
      return [`${call.amount}`, '0', '', '0', '0'];
    case 'pause':
      return [wholeUs(call.durationMs), '0', '', '0', '0'];
    case 'resume':
      return [wholeUs(call.outageMs), wholeUs(call.handoverMs), '', '0', '0'];
    case 'unpause':
    case 'peek':
      return ['0', '0', '', '0', '0'];
  }
}

const NOTHING = Number.MIN_SAFE_INTEGER;

/** Ten whole numbers; see script.ts. Empty if the store has no bucket. */
const STATE = /^(?:-?\d+(?: -?\d+){9})?$/;

/** The most that the script may have granted. A refund is rounded to whole microseconds, and is only counted there. */
function mostGranted(call: StoreCall): number | undefined {
  if (call.mode !== 'lease') return undefined;
  return Math.ceil(Math.max(call.minAmount, call.maxAvailable, call.maxFuture));
}

/**
 * The numbers and the state of a reply; whether the bucket was lost, the caller knows.
 *
 * @throws InvalidReply if the script cannot have replied so
 */
export function parseReply(call: StoreCall, reply: unknown): Omit<Reply, 'lostBucket'> {
  const [granted, waitUs, emptyInUs, pausedUs, nowUs, processes, resumeUs] = readNumbers(reply, [
    [0, mostGranted(call)],
    [0],
    [NOTHING],
    [0],
    [0],
    [1],
    [NOTHING],
  ]) as [number, number, number, number, number, number, number];
  const state = (reply as unknown[])[7];
  if (typeof state !== 'string' || !STATE.test(state)) throw new InvalidReply(reply);
  return {
    granted,
    waitMs: waitUs / 1_000,
    emptyInMs: emptyInUs / 1_000,
    pausedMs: pausedUs / 1_000,
    atUs: nowUs,
    averageLease: Number(state.split(' ')[9] ?? 0),
    processes,
    resumeInMs: resumeUs / 1_000,
    state,
    tooLate: granted === 0 && (call.mode === 'resume' || (call.mode === 'lease' && waitUs === 0)),
  };
}

/** `usPerFill`: how long the bucket takes to fill, in microseconds. */
export function parseState(state: string, usPerFill: number): ParsedState | undefined {
  if (state === '') return undefined;
  const [empty, , paused, , epoch = '', , resumed] = state.split(' ');
  const keptUntilUs = Math.max(Number(empty) + usPerFill, Number(paused), Number(resumed)) + 1e6;
  return { epoch, keptUntilUs };
}

/** An older reply than this comes from a server whose clock was set back. In microseconds. */
const MAX_REORDERING_US = 1e6;

/** Whether a newer reply came before this one, as may happen with several connections. */
export function isOvertaken(atUs: number, newestAtUs: number): boolean {
  const olderUs = newestAtUs - atUs;
  return olderUs > 0 && olderUs <= MAX_REORDERING_US;
}
