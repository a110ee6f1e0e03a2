/** The value below which this share of the values lies, interpolated. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('There are no values to take a quantile of.');
  const sorted = [...values].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
