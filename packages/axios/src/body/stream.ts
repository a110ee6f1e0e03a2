import { isWebReadable } from '@ebb/core/adapter';

/**
 * Whether sending a body uses it up: Node and web streams, the `form-data` package, iterators. Recognized by
 * shape, since the object may come from another realm or another package.
 */
export function isSingleUse(data: unknown): data is object {
  if (typeof data !== 'object' || data === null) return false;
  return 'pipe' in data || 'getReader' in data || Symbol.asyncIterator in data || 'next' in data;
}

/** The ways in which a single-use body can be closed. */
interface Closable {
  readonly readableEnded?: unknown;
  /** The parts of a form of the `form-data` package, each a stream or a wrapper with the stream as `source`. */
  readonly _streams?: readonly (Closable | null | undefined)[];
  readonly source?: unknown;
  destroy?(): unknown;
  return?(): unknown;
}

/**
 * Closes a single-use body that will not be read any further, so that a file behind it does not stay open. Leaves
 * a body that has ended, a locked web stream and any other value alone. Never throws.
 */
export function closeBody(data: unknown, reason: unknown): void {
  if (!isSingleUse(data)) return;
  const body: Closable = data;
  try {
    if (isWebReadable(data)) {
      if (!data.locked) data.cancel(reason).catch(() => undefined);
      return;
    }
    if (Array.isArray(body._streams)) {
      for (const part of body._streams) closeBody(part?.source ?? part, reason);
    }
    // Destroyed without an error: one that no listener handles would end the process.
    if (typeof body.destroy !== 'function') Promise.resolve(body.return?.()).catch(() => undefined);
    else if (body.readableEnded !== true) body.destroy();
  } catch {
    // A custom stream may throw; there is nothing left to close.
  }
}
