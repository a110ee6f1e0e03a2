import type { PolicyOptions } from '@ebb/core';

/** Whether axios copied it on the way: it copies objects that are neither of a class nor tagged nor iterable. */
function isCopied(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !Object.hasOwn(value, Symbol.toStringTag) && !Object.hasOwn(value, Symbol.iterator);
}

/**
 * Refuses a bucket or a budget that reaches a request as a copy. Its methods may keep their state in `this`,
 * and then each request would have tokens of its own, without anything to show it. A clock keeps none.
 *
 * @throws TypeError that names the option
 */
export function checkShared(options: PolicyOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (name !== 'clock' && isCopied(value)) {
      throw new TypeError(
        `ebb: ${name} takes an instance of a class, and was given a plain object, which axios copies`,
      );
    }
  }
}
