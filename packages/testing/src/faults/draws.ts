import type { Random } from '@ebb/core';
import type { Spread } from './scenario.ts';

/** The standard deviation of the logarithm. The mean of e^(deviation·N) is e^(deviation²/2). */
const LOG_DEVIATION = 1;

/** The mean is finite, the variance is not. */
const PARETO_SHAPE = 1.5;

/** A standard normal number, by the method of Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** How {@link faults} and the simulator draw numbers around a mean, by the name of their distribution. */
export const DRAWS: Readonly<Record<Spread, (mean: number, random: Random) => number>> = {
  constant: (mean) => mean,
  exponential: (mean, random) => -Math.log(1 - random()) * mean,
  // Its long tail is that of real services.
  'log-normal': (mean, random) => mean * Math.exp(LOG_DEVIATION * normal(random) - LOG_DEVIATION ** 2 / 2),
  pareto: (mean, random) => (mean * (1 - 1 / PARETO_SHAPE)) / (1 - random()) ** (1 / PARETO_SHAPE),
};
