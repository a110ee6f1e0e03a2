import type { RequestTraits } from '../http/outcome.ts';
import type { NestedRetries } from './nested-retries.ts';
import type { OuterCall, Way } from './outer-call.ts';

// Browsers have no async context. A client below finds the call in the options of its request, and nowhere else.

/** Before all else: bundlers then fold what is tested with it. */
export const hasContext = false as boolean;

let clients = 0;

export function countClient(_isDispatcher?: boolean): void {
  clients += 1;
}

const fetchAtLoad: unknown = globalThis.fetch;

export function isNativeFetch(fetch: unknown): boolean {
  return fetch === fetchAtLoad;
}

export function mayNest(way: Way): boolean {
  // A custom adapter may send through another instance with the same interceptor, which is one client.
  return way === 'converted' || (clients > 1 && way === 'client');
}

export function needsContext(_way: Way): boolean {
  return false;
}

export function outerCall(carried?: unknown): OuterCall | undefined {
  const given = carried as OuterCall | undefined;
  return given?.isOpen ? given : undefined;
}

export function runWithin<T>(_call: OuterCall, run: () => T): T {
  return run();
}

/** A request of user code waits for a slot as any other. */
export function runHolding<T>(_slotsHeld: readonly object[], run: () => T): T {
  return run();
}

/** The SDKs that retry run on servers. */
export function nestedRetriesOf(_request: RequestTraits): NestedRetries | undefined {
  return undefined;
}
