/** The names of headers that a server tells callers apart by. */
const CREDENTIALS = /auth|cookie|token|api-?key/i;

/** True if a request with headers of these names may have credentials. */
export function haveCredentials(names: readonly string[]): boolean {
  return names.some((name) => CREDENTIALS.test(name));
}
