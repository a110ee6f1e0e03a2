import { onAbort } from './on-abort.ts';

/** A native signal in place of one of another library, which may have no `reason`. */
export interface Followed {
  readonly signal: AbortSignal;
  /** Removes the listener from the caller's signal. */
  release(): void;
}

function isNative(signal: unknown): boolean {
  return signal instanceof AbortSignal;
}

/** Follows a signal of another library; `undefined` for a native one. */
export function followForeign(signal: AbortSignal): Followed | undefined {
  if (isNative(signal)) return undefined;
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  return { signal: own.signal, release: onAbort(signal, abort) };
}
