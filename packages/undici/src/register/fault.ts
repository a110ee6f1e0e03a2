/** An error that ends the process at its start, and so names the module that threw it. */
export function fault(message: string, cause?: unknown): Error {
  return new Error(`@ebb/undici/register: ${message}`, cause === undefined ? undefined : { cause });
}
