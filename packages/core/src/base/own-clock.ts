import { prose } from '#prose';
import type { Check } from './check.ts';
import { type Clock, OF_SYSTEM, systemClock } from './clock.ts';
import { callHook } from './errors.ts';
import { must } from './option-error.ts';

/** The clock that one of these reads. Known to all copies of this package in a program. */
const READS: unique symbol = Symbol.for('@ebb/core clock') as never;

/** A clock that names the errors of another one. */
type OwnClock = Clock & { readonly [READS]: Clock };

const checkNow: Check = (_, value) =>
  must(
    'now()',
    prose('a finite number of milliseconds'),
    value,
    typeof value === 'number',
    Number.isFinite(value),
  );

const checkCancel: Check = (_, value) =>
  must('schedule()', prose('a function that cancels the call'), value, typeof value === 'function');

/** What a clock of the user does wrong is a `HookError` that names it. */
function checked(clock: Clock): OwnClock {
  return {
    [READS]: clock,
    now: () => callHook('clock', () => clock.now(), checkNow),
    schedule: (...wait) => callHook('clock', () => clock.schedule(...wait), checkCancel),
  };
}

const own = new WeakMap<Clock, OwnClock>();

/**
 * The clock of a policy or a limit, with its errors named: the same for the same clock. That of the system stays as it is.
 */
export function ownClock(clock: Clock): Clock {
  if (OF_SYSTEM in clock || READS in clock) return clock;
  const known = own.get(clock) ?? checked(clock);
  own.set(clock, known);
  return known;
}

/** True if two clocks show the same time, also if they are of two copies of this package. */
export function isSameClock(one: Clock, other: Clock): boolean {
  return one === other || sourceOf(one) === sourceOf(other);
}

function sourceOf(clock: Clock): unknown {
  if (OF_SYSTEM in clock) return OF_SYSTEM;
  return READS in clock ? clock[READS] : clock;
}

/** The clock of the system, for a limit that was given none: it takes that of its policy. */
export const unboundClock: Clock = /* @__PURE__ */ Object.assign({}, systemClock);
