import { type Check, devText, notNegative, type OptionTable } from '@ebb/core/internal';
import { cannot } from './shared-options.ts';

/** The options that p-retry and async-retry pass on to the package `retry`, but for `retries` and `randomize`: their defaults differ. */
export interface DelayOptions {
  /**
   * The factor by which the delay grows.
   * @default 2
   */
  readonly factor?: number | undefined;
  /**
   * The first delay, in milliseconds.
   * @default 1_000
   */
  readonly minTimeout?: number | undefined;
  /**
   * The longest delay, in milliseconds.
   * @default Infinity
   */
  readonly maxTimeout?: number | undefined;
  /**
   * In milliseconds. A failure after this time is not retried; no attempt is interrupted.
   * @default Infinity
   */
  readonly maxRetryTime?: number | undefined;
  /** `true` is an error: use a `clock` whose timers let the process end. */
  readonly unref?: boolean | undefined;
}

/** A number, or one without an end. */
export const orInfinite: Check = (name, value) => value === Infinity || notNegative(name, value);

/** How they are read. */
export const DELAY_OPTIONS: OptionTable<DelayOptions, 'unref'> = {
  factor: { check: notNegative, default: 2 },
  minTimeout: { check: notNegative, default: 1_000 },
  maxTimeout: { check: orInfinite, default: Infinity },
  maxRetryTime: { check: orInfinite, default: Infinity },
  unref: {
    check: cannot(
      devText('left out: a clock of your own may let the process end'),
      (value) => value === false,
    ),
  },
};
