import type { Quota } from '@ebb/core/bucket';
import { InvalidReply } from './store-error.ts';

// The protocol of the bucket's script: its arguments and its reply. Amounts are millionths of a token, a list of each unit's.

/** A number for each unit. */
export type Amounts = readonly number[];

/** The state of the bucket after a lease. Unspent tokens of the lease are returned with this mark. */
export interface LeaseMark {
  readonly epoch: number;
  /** `empty` and `given` of each unit together; see script.ts. */
  readonly marks: Amounts;
}

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
  /** The unspent leases to return with this call. */
  readonly leases?: readonly UnspentLease[];
  /** The amounts to charge with this call. */
  readonly spent?: Amounts | undefined;
}

/** The unspent tokens of a lease. */
export interface UnspentLease {
  readonly amounts: Amounts;
  readonly mark: LeaseMark;
}

/** The report of a process about itself. */
export interface Who {
  readonly name: string;
  /** The share that it holds, in millionths of the quota. */
  readonly held: number;
  /** For how long it holds its share without another call, in milliseconds; 0 if it leaves. */
  readonly holdsMs: number;
  /** How many processes there will be; 0 if that is not known. */
  readonly expected: number;
}

/** A call of the script. */
export type StoreCall = (
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
  | { readonly mode: 'peek' }
) & { who?: Who | undefined };

/** A reply of the script. Durations are from now, in milliseconds; moments are microseconds of the bucket's time. */
export interface RawReply {
  /** The call reached the store after its deadline, and did nothing. */
  readonly tooLate: boolean;
  readonly atUs: number;
  /** When the state was written that the reply tells. */
  readonly writtenUs: number;
  /** Names the bucket's time. */
  readonly frame: number;
  /** How far the bucket's time is ahead of the server's clock. */
  readonly shiftUs: number;
  /** 0 if the store holds no bucket. */
  readonly epoch: number;
  /** The version of the limits. */
  readonly version: number;
  readonly pausedUs: number;
  readonly resumedUs: number;
  /** How many processes hold a share, what they hold together in millionths, and when the last share expires. */
  readonly processes: number;
  readonly total: number;
  readonly endsUs: number;
  /** The share that this process has now, in millionths; `undefined` if the call did not count it. */
  readonly share: number | undefined;
  /** If a lease was refused: how long until its tokens come within `withinMs`. */
  readonly waitMs: number;
  /** Tokens leased. */
  readonly granted: Amounts;
  /** When each unit is empty. */
  readonly emptyUs: Amounts;
  /** How far refunds have moved `emptyUs` back in total. */
  readonly givenUs: Amounts;
  /** The value of `emptyUs` at the start of the epoch. */
  readonly baseUs: Amounts;
  /** The average lease of a process whose requests wait; 0 if none has waited yet. */
  readonly averageLease: Amounts;
  /** The limits of each unit, if they are not those that the caller knows. */
  readonly limits: readonly Quota[] | undefined;
}

/** The names of the units as the script reads them: each ends with a space, which no name contains. */
export const unitNames = (names: readonly string[] | undefined): string =>
  (names ?? ['']).map((name) => `${encodeURIComponent(name)} `).join('');

/** The limits as the script reads them: of each unit the rate per second, and the capacity in millionths. */
export const limitsText = (limits: readonly Quota[]): string =>
  limits.map(({ refillPerSecond, capacity }) => `${refillPerSecond} ${Math.ceil(capacity * 1e6)}`).join(' ');

const wholeUs = (ms: number): string => Math.ceil(ms * 1_000).toFixed(0);

const unspentOf = (leases: readonly UnspentLease[]): string[] => [
  `${leases.length}`,
  ...leases.flatMap(({ amounts, mark }) => [
    `${mark.epoch}`,
    ...amounts.flatMap((amount, unit) => [`${amount}`, `${mark.marks[unit]}`]),
  ]),
];

/** @param maxPauseMs the longest time that a debt takes to pay */
const spentOf = (amounts: Amounts | undefined, maxPauseMs: number): string[] =>
  amounts === undefined ? [] : [wholeUs(maxPauseMs), ...amounts.map(String)];

/** The arguments of a call that depend on its mode. */
export function argumentsOf(call: StoreCall, maxPauseMs: number): string[] {
  switch (call.mode) {
    case 'lease':
      return [
        call.withinMs === Number.POSITIVE_INFINITY ? '-1' : wholeUs(Math.max(0, call.withinMs)),
        ...call.minAmounts.flatMap((amount, unit) =>
          [amount, call.maxAvailable[unit], call.maxFuture[unit]].map(String),
        ),
        ...unspentOf(call.leases ?? []),
        ...spentOf(call.spent, maxPauseMs),
      ];
    case 'refund':
      return unspentOf(call.leases);
    case 'spend':
      return spentOf(call.amounts, maxPauseMs);
    case 'pause':
      return [wholeUs(call.durationMs)];
    case 'resume':
      return [wholeUs(call.outageMs), wholeUs(call.handoverMs)];
    case 'unpause':
    case 'peek':
      return [];
  }
}

/** The text of a {@link Who} for the script; empty if there is none. */
export const whoOf = (who: Who | undefined): string =>
  who === undefined
    ? ''
    : `${who.name} ${Math.ceil(who.held)} ${wholeUs(who.holdsMs)} ${Math.ceil(who.expected)}`;

/** The least and the most that a number of a reply may be. */
export type Bounds = readonly [least: number, most?: number | undefined];

/**
 * The first numbers of a reply, one for each of `bounds`: safe integers, which some clients return as text.
 *
 * @throws InvalidReply if one is missing, is something else, or is out of its bounds
 */
export function readNumbers(reply: unknown, bounds: readonly Bounds[]): number[] {
  const parts: unknown[] = Array.isArray(reply) ? reply : [];
  return bounds.map(([least, most = Number.MAX_SAFE_INTEGER], place) => {
    const part = parts[place];
    const isNumber = typeof part === 'number' || /^-?\d+$/.test(String(part));
    const number = isNumber ? Number(part) : Number.NaN;
    if (!Number.isSafeInteger(number) || number < least || number > most) throw new InvalidReply(reply);
    return number;
  });
}

const ANY: Bounds = [Number.MIN_SAFE_INTEGER];
const WHOLE: Bounds = [0];
const HEAD: readonly Bounds[] = [
  ...[[0, 2] as Bounds, WHOLE, ANY, WHOLE, [1] as Bounds, ANY, ANY, WHOLE, WHOLE, WHOLE],
  ...[[-1, 1_080_000] as Bounds, WHOLE, WHOLE, WHOLE],
];

/** The most that the script may have granted. */
function mostGranted(call: StoreCall, unit: number): number {
  if (call.mode !== 'lease') return 0;
  const { minAmounts, maxAvailable, maxFuture } = call;
  return Math.ceil(Math.max(...[minAmounts, maxAvailable, maxFuture].map((of) => of[unit] as number)));
}

/** The limits at the end of a reply, if they are there. */
function limitsIn(reply: readonly unknown[], from: number, units: number): Quota[] | undefined {
  if (reply.length === from) return undefined;
  const numbers = reply.slice(from).map(Number);
  const isWrong = numbers.length !== 2 * units || !numbers.every((number) => number > 0 && number < 1e16);
  if (isWrong) throw new InvalidReply(reply);
  return Array.from({ length: units }, (_, unit) => ({
    refillPerSecond: numbers[2 * unit] as number,
    capacity: (numbers[2 * unit + 1] as number) / 1e6,
  }));
}

/** @throws InvalidReply if the script cannot have replied so */
export function parseReply(call: StoreCall, reply: unknown, units: number): RawReply {
  const each = Array.from({ length: units }, (_, unit) => unit);
  const ofUnits = each.flatMap((unit): Bounds[] => [[0, mostGranted(call, unit)], ANY, ANY, ANY, WHOLE]);
  const numbers = readNumbers(reply, [...HEAD, ...ofUnits]);
  const at = (place: number): number => numbers[place] as number;
  const column = (place: number): number[] => each.map((unit) => at(HEAD.length + 5 * unit + place));
  // A state from the future: the store's would always seem to be older.
  if (at(12) > at(1)) throw new InvalidReply(reply);
  const share = at(10);
  return {
    tooLate: at(0) === 2,
    ...{ atUs: at(1), shiftUs: at(2), epoch: at(3), version: at(4), pausedUs: at(5), resumedUs: at(6) },
    ...{ processes: Math.max(1, at(7)), total: at(8), endsUs: at(9) },
    share: share < 0 ? undefined : share,
    waitMs: at(11) / 1_000,
    writtenUs: at(12),
    frame: at(13),
    ...{
      granted: column(0),
      emptyUs: column(1),
      givenUs: column(2),
      baseUs: column(3),
      averageLease: column(4),
    },
    limits: limitsIn(reply as unknown[], numbers.length, units),
  };
}

/** Where the lease of a reply has left the bucket. */
export const markOf = ({ epoch, emptyUs, givenUs }: RawReply): LeaseMark => ({
  epoch,
  marks: emptyUs.map((us, unit) => us + (givenUs[unit] as number)),
});
