/** The bytes of the heap that are in use, without garbage. For processes with `--expose-gc`. */
export function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
