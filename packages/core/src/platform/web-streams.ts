interface Closable {
  on(event: string, listener: () => void): unknown;
  destroy?(): unknown;
}

/** Browsers have no streams of Node. One that a test brings, with jsdom for instance, is closed unread. */
export function readNode(stream: Closable, ..._: unknown[]): boolean {
  // Without a listener an error of the stream would end the process.
  stream.on('error', () => undefined);
  stream.destroy?.();
  return false;
}
