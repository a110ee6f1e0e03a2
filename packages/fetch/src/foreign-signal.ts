import { isNativeFetch } from '@ebb/core/adapter';

/**
 * True if the base fetch reports the caller's signal, which is that of another library: one that has aborted, or one that the
 * runtime's own fetch does not accept. The base fetch then has to get the signal itself.
 */
export function keepsForeign(signal: AbortSignal | undefined, baseFetch: unknown): boolean {
  if (signal === undefined || signal.aborted) return true;
  if (!isNativeFetch(baseFetch)) return false;
  try {
    new Request('https://ebb.invalid/', { signal });
    return false;
  } catch {
    return true;
  }
}
