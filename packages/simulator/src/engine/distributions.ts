import type { Random } from '@ebb/core';

/** The standard deviation of the logarithm. The mean of e^(deviation·N) is e^(deviation²/2). */
const LOG_DEVIATION = 1;

/** An exponentially distributed time with this mean. */
export function exponentialTime(meanMs: number, random: Random): number {
  return -Math.log(1 - random()) * meanMs;
}

/** How numbers are drawn around a mean, by the name of their distribution. */
export const DRAWS: Readonly<
  Record<'constant' | 'exponential' | 'log-normal', (mean: number, random: Random) => number>
> = {
  constant: (mean) => mean,
  exponential: exponentialTime,
  'log-normal': logNormalTime,
};

/** A standard normal number, by the method of Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A log-normally distributed time with this mean: its long tail is that of real services. */
function logNormalTime(meanMs: number, random: Random): number {
  return meanMs * Math.exp(LOG_DEVIATION * normal(random) - LOG_DEVIATION ** 2 / 2);
}
