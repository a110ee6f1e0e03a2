/** A `FailureKind` that is known. */
type KnownKind = 'connect' | 'network' | 'timeout' | 'aborted';

/**
 * Error codes: those of axios in browsers, and a few of Node, since tests with jsdom run over Node's fetch. Every other code is
 * `unknown`.
 */
export const CODES: Readonly<Record<KnownKind, string>> = {
  connect: 'ECONNREFUSED ENOTFOUND',
  network: 'ERR_NETWORK ECONNABORTED ECONNRESET UND_ERR_SOCKET',
  timeout: 'ETIMEDOUT',
  aborted: 'ERR_CANCELED',
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
