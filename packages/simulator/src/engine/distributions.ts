import type { Random } from '@ebb/core';

/** The deviation of the logarithm; the mean of e^(deviation·N) is then e^(deviation²/2). */
const LOG_DEVIATION = 1;

/** A time with this mean whose end is as likely in each moment as in any other. */
export function exponentialTime(meanMs: number, random: Random): number {
  return -Math.log(1 - random()) * meanMs;
}

/** A normal number with mean 0 and deviation 1, by the method of Box and Muller. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A time with this mean and a long tail, as the times of real services have. */
export function logNormalTime(meanMs: number, random: Random): number {
  return meanMs * Math.exp(LOG_DEVIATION * normal(random) - LOG_DEVIATION ** 2 / 2);
}
