/** The messages of the runtimes for a lost connection. Source: is-network-error 1.3.2. */
const MESSAGES =
  /^(network error|NetworkError when attempting to fetch resource\.|The Internet connection appears to be offline\.|Network request failed|fetch failed|terminated| A network error occurred\.|Network connection lost|Failed to fetch( \(.*\))?|error sending request for url.*)$/s;

/** True for the `TypeError` of a fetch that has lost its connection. Source: is-network-error 1.3.2. */
export function isNetworkError(error: TypeError): boolean {
  const { name, message, stack } = error;
  if (name !== 'TypeError') return false;
  // The error of Safari has no stack, unless Sentry has added one.
  if (/^Load failed( \(.*\))?$/s.test(message)) return stack === undefined || '__sentry_captured__' in error;
  return MESSAGES.test(message);
}
