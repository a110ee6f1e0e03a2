import { prose } from '#prose';
import type { Check } from './check.ts';
import { callHook } from './errors.ts';
import { must } from './option-error.ts';
import { type Clock, OF_SYSTEM, type OwnClock, READS } from './time.ts';

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
