/** A value as text, in which `undefined` differs from a value that is not there. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part === undefined ? '(undefined)' : part)) ?? '(undefined)';
}

/** Says what differs, with both values; `undefined` if they are the same. */
export function difference(what: string, got: unknown, expected: unknown): string | undefined {
  const [one, other] = [textOf(got), textOf(expected)];
  return one === other ? undefined : `${what}: expected ${other}, got ${one}`;
}

/**
 * Fails if something differs.
 *
 * @param differences what {@link difference} returned
 * @param cause what the call rejected with
 * @param beside what else to say then
 */
export function check(
  differences: readonly (string | undefined)[],
  cause?: unknown,
  beside: readonly string[] = [],
): void {
  const found = differences.filter((one) => one !== undefined);
  if (found.length > 0) throw new Error([...found, ...beside].join('\n'), { cause });
}
