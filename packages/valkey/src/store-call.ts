import { type Bounds, InvalidReply, readNumbers } from './store-error.ts';

// The protocol of the bucket's script: its arguments and its reply. Amounts are millionths of a token, a list of each unit's.

/** A number for each unit. */
export type Amounts = readonly number[];

/** Leases tokens. */
export interface TokenLeaseCall {
  readonly mode: 'lease';
  /** Leased in any case, unless it takes longer than `withinMs`. */
  readonly minAmounts: Amounts;
  /** The most to lease of the tokens that are available. */
  readonly maxAvailable: Amounts;
  /** The most to lease of the tokens that are yet to come in. */
  readonly maxFuture: Amounts;
  /** How long the first request may wait for `minAmounts`, in milliseconds; `Infinity` for any time. */
  readonly withinMs: number;
  /** What it returns on its way. */
  readonly leases?: readonly UnspentLease[];
  /** What it charges on its way. */
  readonly spent?: Amounts | undefined;
}

/** What was not spent of a lease. */
export interface UnspentLease {
  readonly amounts: Amounts;
  /** The {@link Reply.state} of the lease. */
  readonly state: string;
}

/** One call of the script. */
export type StoreCall =
  | TokenLeaseCall
  /** Returns unspent tokens of some leases. */
  | { readonly mode: 'refund'; readonly leases: readonly UnspentLease[] }
  /** Charges tokens that were spent without a lease. */
  | { readonly mode: 'spend'; readonly amounts: Amounts }
  | { readonly mode: 'pause'; readonly durationMs: number }
  | { readonly mode: 'unpause' }
  /** The first call after an outage. */
  | { readonly mode: 'resume'; readonly outageMs: number; readonly handoverMs: number }
  /** Reads the state. */
  | { readonly mode: 'peek' };

/** A reply of the script. Durations are from now, in milliseconds. */
export interface Reply {
  /** Tokens leased, charged or refunded; in other modes the first is 1 if something was done, else 0. */
  readonly granted: Amounts;
  /** If a lease was refused: how long until its tokens come within `withinMs`. */
  readonly waitMs: number;
  /** When each unit is empty and tokens come in again; below 0: how long ago that was. */
  readonly emptyInMs: Amounts;
  /** How long the bucket stays paused; 0 if it is not. */
  readonly pausedMs: number;
  /** When the server replied, on its own clock, in microseconds. */
  readonly atUs: number;
  /** The average lease of a process whose requests wait; 0 if none has waited yet. */
  readonly averageLease: Amounts;
  /** How many processes leased tokens lately. */
  readonly processes: number;
  /** When the bucket serves again after an outage; 0 or less: for how long it already has, since the outage began. */
  readonly resumeInMs: number;
  /** Changes when requests may be served sooner, or later, than known: who takes part, and what was given back or lost. */
  readonly line: string;
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

/** A list as the script reads it. */
export const listed = (amounts: Amounts): string => amounts.join(' ');

type Returning = Pick<TokenLeaseCall, 'leases'>;

const unspentOf = ({ leases = [] }: Returning): string => leases.map(({ amounts }) => listed(amounts)).join();

const statesOf = ({ leases = [] }: Returning): string => leases.map(({ state }) => state).join();

/**
 * The arguments of a call that depend on its mode.
 *
 * @param maxPauseMs the longest time that a debt takes to pay
 */
export function argumentsOf(call: StoreCall, maxPauseMs: number): string[] {
  switch (call.mode) {
    case 'lease':
      return [
        ...[listed(call.minAmounts), listed(call.maxAvailable), statesOf(call), listed(call.maxFuture)],
        call.withinMs === Number.POSITIVE_INFINITY ? '-1' : wholeUs(Math.max(0, call.withinMs)),
        ...[unspentOf(call), listed(call.spent ?? []), wholeUs(maxPauseMs)],
      ];
    case 'refund':
      return [unspentOf(call), '0', statesOf(call), '0', '0'];
    case 'spend':
      return [listed(call.amounts), '0', '', '0', '0', wholeUs(maxPauseMs)];
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

/** The place of a unit's numbers in the state; see script.ts. */
const placesOf = (unit: number): { empty: number; given: number; turn: number } =>
  unit === 0
    ? { empty: 0, given: 1, turn: 9 }
    : { empty: 6 + 4 * unit, given: 7 + 4 * unit, turn: 9 + 4 * unit };

/** The most that the script may have granted. A refund is rounded to whole microseconds, and is only counted there. */
function mostGranted(call: StoreCall, unit: number): number {
  if (call.mode !== 'lease') return Number.MAX_SAFE_INTEGER;
  const { minAmounts, maxAvailable, maxFuture } = call;
  return Math.ceil(Math.max(...[minAmounts, maxAvailable, maxFuture].map((of) => of[unit] as number)));
}

/** The numbers of a list, for so many units. */
function readList(reply: unknown, place: number, bounds: readonly Bounds[]): number[] {
  const text = (reply as unknown[] | undefined)?.[place];
  const parts = String(text).split(' ');
  if (parts.length !== bounds.length) throw new InvalidReply(reply);
  try {
    return readNumbers(parts, bounds);
  } catch {
    throw new InvalidReply(reply);
  }
}

/** Whether a text is a state of so many units: empty if the store has no bucket. */
function isState(state: unknown, units: number): state is string {
  if (typeof state !== 'string') return false;
  return state === '' || (/^-?\d+(?: -?\d+)*$/.test(state) && state.split(' ').length === 6 + 4 * units);
}

/**
 * The numbers and the state of a reply; whether the bucket was lost, the caller knows.
 *
 * @throws InvalidReply if the script cannot have replied so
 */
export function parseReply(call: StoreCall, reply: unknown, units: number): Omit<Reply, 'lostBucket'> {
  const each = Array.from({ length: units }, (_, unit) => unit);
  const granted = readList(
    reply,
    0,
    each.map((unit): Bounds => [0, mostGranted(call, unit)]),
  );
  const emptyInUs = readList(
    reply,
    2,
    each.map((): Bounds => [NOTHING]),
  );
  const parts = reply as unknown[];
  const [waitUs, pausedUs, nowUs, processes, resumeUs] = readNumbers(
    [parts[1], ...parts.slice(3, 7)],
    [[0], [0], [0], [1], [NOTHING]],
  ) as [number, number, number, number, number];
  const state = parts[7];
  if (!isState(state, units)) throw new InvalidReply(reply);
  const numbers = state.split(' ');
  return {
    granted,
    waitMs: waitUs / 1_000,
    emptyInMs: emptyInUs.map((us) => us / 1_000),
    pausedMs: pausedUs / 1_000,
    atUs: nowUs,
    line: [numbers[4], processes, ...each.map((unit) => numbers[placesOf(unit).given])].join(' '),
    averageLease: each.map((unit) => Number(numbers[placesOf(unit).turn] ?? 0)),
    processes,
    resumeInMs: resumeUs / 1_000,
    state,
    tooLate:
      granted.every((amount) => amount === 0) &&
      (call.mode === 'resume' || (call.mode === 'lease' && waitUs === 0)),
  };
}

/** `usPerFill`: how long each unit takes to fill, in microseconds. */
export function parseState(state: string, usPerFill: Amounts): ParsedState | undefined {
  if (state === '') return undefined;
  const numbers = state.split(' ');
  const full = usPerFill.map((us, unit) => Number(numbers[placesOf(unit).empty]) + us);
  const keptUntilUs = Math.max(...full, Number(numbers[2]), Number(numbers[6])) + 1e6;
  return { epoch: numbers[4] ?? '', keptUntilUs };
}

/** An older reply than this comes from a server whose clock was set back. In microseconds. */
const MAX_REORDERING_US = 1e6;

/** Whether a newer reply came before this one, as may happen with several connections. */
export function isOvertaken(atUs: number, newestAtUs: number): boolean {
  const olderUs = newestAtUs - atUs;
  return olderUs > 0 && olderUs <= MAX_REORDERING_US;
}
