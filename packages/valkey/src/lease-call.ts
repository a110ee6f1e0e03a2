import { type Backlog, isMore } from './backlog.ts';
import type { FleetSetup } from './options.ts';
import type { Amounts, TokenLeaseCall } from './store-call.ts';
import type { UnitLease } from './unit-lease.ts';

/**
 * The lease to ask for: the tokens of each unit for the same number of whole requests. `undefined` if the leased tokens
 * are enough, and no request waits for more.
 *
 * @param isAlone true if no other process shares the bucket
 */
export function leaseCall(
  units: readonly UnitLease[],
  setup: FleetSetup,
  backlog: Backlog,
  isAlone: boolean,
  nowMs: number,
): TokenLeaseCall | undefined {
  const { count, firstCost, firstDeadlineMs, totalCost } = backlog;
  const left = units.map(({ pool }) => pool.left);
  const isLacking = isMore(firstCost, left);
  const enough = units.map(({ size }, unit) => size.enoughFor(totalCost[unit] as number));
  if (!isLacking && !isMore(enough, left)) return undefined;
  const minAmounts = units.map(({ size }, unit) => {
    const had = left[unit] as number;
    if (isLacking) return Math.max(0, Math.ceil((firstCost[unit] as number) - had));
    return had < (enough[unit] as number) ? Math.ceil(size.least) : 0;
  });
  const atLeast = (amount: number, unit: number): number =>
    Math.max(minAmounts[unit] as number, Math.ceil(amount));
  const maxAvailable = units.map(({ size }, unit) =>
    atLeast(size.mostAvailable(totalCost[unit] as number, left[unit] as number, nowMs), unit),
  );
  // Only requests that wait can use future tokens.
  const mayWait = setup.nonConforming === 'delay';
  const withinMs = mayWait ? firstDeadlineMs - nowMs : 0;
  if (!mayWait) return { mode: 'lease', minAmounts, maxAvailable, maxFuture: minAmounts, withinMs };
  if (count === 0) {
    const maxFuture = units.map(({ size }, unit) => atLeast(size.ahead, unit));
    return { mode: 'lease', minAmounts, maxAvailable, maxFuture, withinMs };
  }
  const through = throughTurn(units, setup, backlog, left, isAlone);
  const maxFuture = units.map(({ size }, unit) =>
    atLeast(Math.max((through[unit] as number) - (left[unit] as number), size.onTheWay), unit),
  );
  return { mode: 'lease', minAmounts, maxAvailable, maxFuture, withinMs };
}

/** With keys, a turn is for more than one request of each if this process's part of the refill pays for so many. */
const KEYS = 8;

/**
 * The amounts to lease for the requests of one turn, already leased tokens included. With keys the number of requests is the weight of all
 * keys that wait here, or a multiple of the weight: a key thus has the same share in each process in which it waits.
 */
function throughTurn(
  units: readonly UnitLease[],
  { random }: FleetSetup,
  { count, totalCost, shares, through }: Backlog,
  left: Amounts,
  isAlone: boolean,
): Amounts {
  const sizes = units.map(({ size }, unit) => size.forQueue(count, totalCost[unit] as number));
  const paid = Math.min(...sizes.map(({ requests }) => requests));
  if (shares !== undefined && !isAlone) {
    const times = Number.isFinite(paid) ? Math.max(1, Math.floor(paid / KEYS)) : 1;
    const most = units.map(() => Number.POSITIVE_INFINITY);
    return through(left, Math.max(1, Math.floor(times * shares + random())), most);
  }
  return through(
    left,
    Math.max(1, Math.floor(Math.min(count / 2, paid))),
    sizes.map(({ most }) => most),
  );
}
