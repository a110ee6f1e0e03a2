import type { Reply } from './known-state.ts';
import type { LeaseSize, UnitReply } from './lease-size.ts';
import type { FleetSetup } from './options.ts';
import type { LeasePool } from './pool.ts';
import type { Amounts, LeaseMark } from './store-call.ts';

/** The leases of one unit in this process, and the size of further leases. */
export interface UnitLease {
  readonly pool: LeasePool;
  readonly size: LeaseSize;
}

/** Takes tokens of all units out of the leases if they are available. */
export function takeLeased(units: readonly UnitLease[], amounts: Amounts, nowMs: number): boolean {
  const { length } = units;
  // The pool of a single unit looks for itself.
  for (let unit = 0; length > 1 && unit < length; unit += 1) {
    const amount = amounts[unit] as number;
    if (amount > 0 && !(units[unit] as UnitLease).pool.has(amount, nowMs)) return false;
  }
  for (let unit = 0; unit < length; unit += 1) {
    const amount = amounts[unit] as number;
    if (amount > 0 && !(units[unit] as UnitLease).pool.take(amount, nowMs)) return false;
  }
  return true;
}

/** Whether too little is left of a unit of which these amounts were taken. */
export function isAnyLow(units: readonly UnitLease[], amounts: Amounts): boolean {
  for (let unit = 0; unit < units.length; unit += 1) {
    const { pool, size } = units[unit] as UnitLease;
    if ((amounts[unit] as number) > 0 && size.isLow(pool.left)) return true;
  }
  return false;
}

/** How long until all units have so many tokens leased, in milliseconds; `undefined` if they do not hold as many. */
export function leasedMs(units: readonly UnitLease[], amounts: Amounts, nowMs: number): number | undefined {
  let longestMs = 0;
  for (let unit = 0; unit < units.length; unit += 1) {
    const amount = amounts[unit] as number;
    const waitMs = amount > 0 ? (units[unit] as UnitLease).pool.waitMs(amount, nowMs) : 0;
    if (waitMs === undefined) return undefined;
    longestMs = Math.max(longestMs, waitMs);
  }
  return longestMs;
}

/** Where the lease of a reply has left the bucket. */
export const markOf = ({ epoch, emptyUs, givenUs }: Reply): LeaseMark => ({
  epoch,
  marks: emptyUs.map((us, unit) => us + (givenUs[unit] as number)),
});

/** A unit's part of a reply. */
export function leasedOf({ granted, emptyInMs, averageLease }: Reply, unit: number): UnitReply {
  return {
    granted: granted[unit] as number,
    emptyInMs: emptyInMs[unit] as number,
    averageLease: averageLease[unit] as number,
  };
}

/** Adds a lease. The units of a request come together, so none expires before the last of them is there. */
export function addLease(
  units: readonly UnitLease[],
  { idleMs, graceMs }: FleetSetup,
  reply: Reply,
  isWaitedFor: boolean,
  nowMs: number,
): void {
  const comes = reply.emptyInMs.map((ms, unit) => (reply.granted[unit] === 0 ? nowMs : nowMs + ms));
  const expiresAtMs = Math.max(nowMs, ...comes) + (isWaitedFor ? graceMs : idleMs);
  const mark = markOf(reply);
  for (const [unit, { pool, size }] of units.entries()) {
    const leased = leasedOf(reply, unit);
    size.granted(leased);
    if (isWaitedFor) pool.keepUntil(expiresAtMs);
    if (leased.granted === 0) continue;
    const availableAtMs = nowMs + leased.emptyInMs;
    pool.add({ left: leased.granted, availableAtMs, expiresAtMs, mark });
  }
}
