import { property } from '@ebb/core/adapter';

/**
 * An instance of an error class of undici, made without importing undici: its classes recognise their instances by
 * symbols of the global registry, so `error instanceof errors.HeadersTimeoutError` is true in every copy of undici.
 */
function undiciError(name: string, code: string, message: string): Error {
  return Object.defineProperties(Object.assign(new Error(message), { code }), {
    name: { value: name, configurable: true, writable: true },
    [Symbol.for('undici.error.UND_ERR')]: { value: true },
    [Symbol.for(`undici.error.${code}`)]: { value: true },
  });
}

/** The error of undici if no response headers came in time. */
export function headersTimeoutError(afterMs: number): Error {
  return undiciError('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', `No response within ${afterMs} ms`);
}

/** The error of undici for an abort without a reason. */
export function requestAbortedError(message = 'Request aborted'): Error {
  return undiciError('AbortError', 'UND_ERR_ABORTED', message);
}

/** The error of undici for a body that fell silent. */
export function bodyTimeoutError(afterMs: number): Error {
  return undiciError('BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT', `Nothing arrived for ${afterMs} ms`);
}

/** The error of undici for a connection that was lost, for a body that ended before it was whole. */
export function cutShortError(): Error {
  return undiciError('SocketError', 'UND_ERR_SOCKET', 'The body ended before it was whole');
}

/** True if the dispatcher was closed or destroyed before it took the request. */
export function isClosedError(error: unknown): boolean {
  const code = property(error, 'code');
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED';
}

/** True if a proxy hung up before it opened a tunnel. */
export function isTunnelError(error: unknown): boolean {
  return property(error, 'code') === 'UND_ERR_PRX_CONN';
}

const OLD_METHOD = /^invalid on(Connect|Error) method$/;

/**
 * undici 6 and older take legacy handlers only, and report a missing method. Replaces that error with one that names the
 * versions.
 */
export function namingOldUndici(error: unknown): unknown {
  const message = property(error, 'message');
  const isOld = typeof message === 'string' && OLD_METHOD.test(message);
  if (!isOld || property(error, 'code') !== 'UND_ERR_INVALID_ARG') return error;
  const text =
    'ebbInterceptor needs a dispatcher of undici 7 or 8, and was composed on one of undici 6 or older';
  return new TypeError(text, { cause: error });
}
