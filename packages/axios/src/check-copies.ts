import type { PolicyOptions } from '@ebb/core';

/** Whether axios clones such a value when it merges configs: an object without a class, a tag or an iterator. */
function isCloned(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !Object.hasOwn(value, Symbol.toStringTag) && !Object.hasOwn(value, Symbol.iterator);
}

/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket. A clock has no state.
 *
 * @throws TypeError that names the option
 */
export function checkShared(options: PolicyOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (name !== 'clock' && isCloned(value)) {
      throw new TypeError(
        `ebb: ${name} must be an instance of a class, got a plain object, which axios copies for each request`,
      );
    }
  }
}
