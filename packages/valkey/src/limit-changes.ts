import { check, type OptionTable, type Quota, readOptions } from '@ebb/core/bucket';
import { checkFill, type FleetSetup } from './options.ts';

/** Another limit of a bucket, or of one of its units. */
export interface LimitChange {
  /** Tokens per second for the whole fleet: above 0, at most 1e9, and enough to fill the capacity within 1e8 s. */
  readonly refillPerSecond: number;
  /**
   * The most tokens that accumulate, for the whole fleet: above 0, at most 1e9.
   * @default what it is
   */
  readonly capacity?: number | undefined;
}

/** Changes by the places of the units. */
export type LimitChanges = ReadonlyMap<number, LimitChange>;

const LIMIT_CHANGE: OptionTable<LimitChange, 'capacity'> = {
  refillPerSecond: { check: check.refillRate, required: true },
  capacity: { check: check.capacity },
};

/**
 * @param names of several units
 * @throws TypeError, RangeError if a limit is wrong, or a unit is not known; the message names it
 */
export function limitChanges(
  names: readonly string[] | undefined,
  limits: LimitChange | Readonly<Record<string, LimitChange>>,
): LimitChanges {
  if (names === undefined)
    return new Map([[0, readOptions('setLimits', limits as LimitChange, LIMIT_CHANGE)]]);
  if (typeof limits === 'object' && limits !== null && Object.keys(limits).length === 0)
    throw check.wrongType('setLimits: limits', 'an object with a limit for at least one unit', limits);
  const read: check.Check = (name, limit) => void readOptions(name, limit as LimitChange, LIMIT_CHANGE);
  const table = Object.fromEntries(names.map((name) => [name, { check: read }]));
  const changes = readOptions<Record<string, LimitChange | undefined>, string>(
    'setLimits',
    limits as Record<string, LimitChange | undefined>,
    table,
  );
  return new Map(
    names.flatMap((name, unit) => {
      const change = changes[name];
      return change === undefined ? [] : [[unit, change] as const];
    }),
  );
}

/**
 * The limits of all units after the changes.
 *
 * @throws RangeError if a unit would fill too slowly
 */
export function changedLimits(
  { limits, names }: Pick<FleetSetup, 'limits' | 'names'>,
  changes: LimitChanges,
): Quota[] {
  return limits.map((limit, unit) => {
    const change = changes.get(unit);
    if (change === undefined) return limit;
    const { refillPerSecond, capacity = limit.capacity } = change;
    const changed = { refillPerSecond, capacity };
    checkFill(names === undefined ? 'setLimits: ' : `setLimits: ${names[unit]}.`, changed);
    return changed;
  });
}
