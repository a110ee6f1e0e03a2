/** The mean of several runs. */
export interface Sample {
  readonly mean: number;
  /** The standard error of the mean. */
  readonly standardError: number;
}

/** The mean of some numbers and its standard error. */
export function sampleOf(values: Float64Array): Sample {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return { mean, standardError: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}
