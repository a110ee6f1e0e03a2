// The platform of browsers, with the names of node.ts. Functions without a task in browsers are empty, so that minifiers drop
// their calls.

/** Clients of the web do not see a body end by themselves. */
export const seesBodiesEnd = false;

/** Shows a warning as an error that no one has caught: `window.onerror` sees it. */
export function emit(warning: Error): void {
  globalThis.reportError?.(warning);
}

const UNSAFE = '[\\p{C}\\p{Zl}\\p{Zp}]';

/** A text as one line of a console. Production builds do not call it. */
export function oneLine(text: string): string {
  return text.replace(new RegExp(UNSAFE, 'gu'), '?');
}

/** A page sends few requests, and needs no faster stamp. */
export function makeMetadata<T>(): WeakMap<object, T> {
  return new WeakMap();
}

export function keptByCopies(_result: object): undefined {}

/** Bodies are web streams. A Node stream, of a polyfill, is closed unread where it would be kept. */
export function readNode(_body: object, into: { limit(): void; giveUp(): void }): void {
  into.giveUp();
  into.limit();
}

/** No client of a browser can send it. */
export function followNodeUpload(_body: object, _failed: unknown, _follow: unknown): undefined {}

export function surviveNodeUpload(_body: object, _survive: unknown): void {}

export function closeNodeParts(_body: object, _close: unknown): void {}

export function nodeStream(_parts: readonly unknown[], _error: unknown, _like: object): undefined {}

/** A page does not end. */
export function letExit(_timer: unknown): void {}

/** A page has no HTTP/2 of undici, and its browser asks proxies for tunnels. */
export function kindOfNode(_code: string, _message: string, _error: object): undefined {}

/** Browsers have no codes, and a text each for a lost connection. A client of fetch takes any `TypeError` of a correct request for one. */
export const NODE_KINDS: readonly never[] = [];
