/**
 * Whether a body is read as it is sent, and so can be sent only once: Node and web streams, the `form-data`
 * package, iterators. Told by shape, since it may come from another realm or another package.
 */
export function isOnce(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return 'pipe' in data || 'getReader' in data || Symbol.asyncIterator in data || 'next' in data;
}

/** As much of a Node stream as is needed here. */
export interface NodeReadable {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly readableObjectMode?: boolean;
  on(event: 'data', listener: (part: { length: number }) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export function isNodeReadable(data: unknown): data is NodeReadable {
  return typeof data === 'object' && data !== null && 'pipe' in data && 'destroy' in data;
}

export function isWebReadable(data: unknown): data is ReadableStream<Uint8Array<ArrayBuffer>> {
  return typeof data === 'object' && data !== null && 'getReader' in data;
}

/** What a body may be closed by. */
interface Closable {
  readonly readableEnded?: unknown;
  /** The parts of a form of the `form-data` package, which keeps its streams in others. */
  readonly _streams?: unknown;
  readonly source?: unknown;
  readonly locked?: unknown;
  destroy?(): unknown;
  cancel?(reason: unknown): Promise<void>;
  return?(): unknown;
}

/**
 * Closes a body that can be read once, and that is not read any more: a file that it holds open would stay
 * open. Does nothing to what has ended, and to anything else. Never throws.
 */
export function closeBody(data: unknown, reason: unknown): void {
  if (!isOnce(data)) return;
  const body = data as Closable;
  try {
    if (isWebReadable(data)) {
      if (!data.locked) data.cancel(reason).catch(() => undefined);
      return;
    }
    if (Array.isArray(body._streams)) {
      for (const part of body._streams as Closable[]) closeBody(part?.source ?? part, reason);
    }
    // Without an error: where no one listens, that would end the process.
    if (typeof body.destroy !== 'function') Promise.resolve(body.return?.()).catch(() => undefined);
    else if (body.readableEnded !== true) body.destroy();
  } catch {
    // Of someone else's making; there is nothing to be done about it.
  }
}
