import { prose } from '#prose';
import { notNegative, wrongType } from '../../base/check.ts';
import { HookError } from '../../base/errors.ts';
import { report } from '../../base/warn.ts';
import type { InspectedResponse } from '../../http/inspected.ts';
import type { Costs } from '../../loop/costs.ts';

/**
 * What a response says of costs: a number for a bucket of one unit, or by unit; nothing if it says nothing. A unit that is not named
 * stays as it is.
 */
export type SaysCosts = (
  response: InspectedResponse,
) => number | Costs | undefined | Promise<number | Costs | undefined>;

/** @throws TypeError, RangeError for anything but costs */
export function checkCosts(name: string, said: unknown): asserts said is number | Costs {
  if (typeof said === 'number') {
    notNegative(name, said);
    return;
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said))
    throw wrongType(name, prose('a number, or an object with a number for each unit'), said);
  for (const [unit, cost] of Object.entries(said)) notNegative(`${name}: ${unit}`, cost);
}

/** Reports that a function which reads answers has failed: once, and nothing else comes of it. */
export function reportFailure(name: string, read: SaysCosts, cause: unknown): void {
  report(name, read, new HookError(name, cause));
}
