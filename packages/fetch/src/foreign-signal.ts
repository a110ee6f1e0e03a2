/** True if the runtime's own fetch rejects a request with this signal: it then has to get the signal itself. */
export function isRefusedByRuntime(signal: AbortSignal): boolean {
  try {
    new Request('https://ebb.invalid/', { signal });
    return false;
  } catch {
    return true;
  }
}
