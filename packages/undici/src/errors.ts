/**
 * An error that undici's own classes take for theirs: they know their instances by symbols of the global
 * registry, so `error instanceof errors.HeadersTimeoutError` holds in every copy of undici, and none is needed
 * here to make one.
 */
function undiciError(name: string, code: string, message: string): Error {
  return Object.defineProperties(Object.assign(new Error(message), { code }), {
    name: { value: name, configurable: true, writable: true },
    [Symbol.for('undici.error.UND_ERR')]: { value: true },
    [Symbol.for(`undici.error.${code}`)]: { value: true },
  });
}

/** What undici says when no response came in time. */
export function headersTimeoutError(afterMs: number): Error {
  return undiciError('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', `No response within ${afterMs} ms`);
}

/** What undici says of an abort without a reason. */
export function requestAbortedError(message = 'Request aborted'): Error {
  return undiciError('AbortError', 'UND_ERR_ABORTED', message);
}
