// The platform of browsers, with the names of node.ts. Functions that do nothing are empty, so that minifiers drop their calls.

/** Clients of the web do not see a body end by themselves. */
export const seesBodiesEnd = false;

/** A `FailureKind` that is known. */
type KnownKind = 'connect' | 'network' | 'timeout' | 'aborted';

/**
 * Error codes, and the names of errors without one: those of axios in browsers, and a few of Node, since tests with jsdom run over Node's fetch. Every other code is
 * `unknown`.
 */
export const CODES: Readonly<Record<KnownKind, string>> = {
  connect: 'ECONNREFUSED ENOTFOUND',
  network: 'ERR_NETWORK ECONNABORTED ECONNRESET UND_ERR_SOCKET',
  timeout: 'ETIMEDOUT TimeoutError',
  aborted: 'ERR_CANCELED AbortError',
};

/**
 * Messages of browsers (Chrome, Firefox, Safari and its URL loading), React Native and workers. Some append the host in
 * brackets.
 */
const NETWORK =
  /^\s*(failed to fetch|fetch failed|error in (body|input) stream|networkerror when attempting to fetch resource|load failed|a network error occurred|network (request failed|connection lost|error)|terminated|the (internet connection appears to be offline|network connection was lost)|could not connect to the server|a server with the specified hostname could not be found)\.?( \(.*\))?\s*$/is;
const TIMEOUT = /^(network|the) request timed out\.?$/i;

/** The kind of failure that a message stands for; `undefined` if it is not known. */
export function kindOfMessage(message: string): KnownKind | undefined {
  if (TIMEOUT.test(message)) return 'timeout';
  return NETWORK.test(message) ? 'network' : undefined;
}

/** Browsers do not tell in which phase a request failed. */
export function isUnsent(_error: object, _message: string): undefined {}

/** Shows a warning as an error that no one has caught: `window.onerror` sees it. */
export function emit(warning: Error): void {
  globalThis.reportError?.(warning);
}

/** Browsers have no `node:diagnostics_channel`. */
export function isSubscribed(_type: string): undefined {}

export function publish(_type: string, _event: unknown): void {}

export function publishResume(_event: unknown): void {}

/** A page sends few requests, and needs no faster stamp. */
export function makeStamp<T>(): WeakMap<object, T> {
  return new WeakMap();
}

export function keptByCopies(_result: object): undefined {}
