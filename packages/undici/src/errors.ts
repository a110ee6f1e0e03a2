import { property } from '@ebb/core/adapter';

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

/** Whether undici says that its dispatcher was closed or destroyed before it took a request. */
export function isClosedError(error: unknown): boolean {
  const code = property(error, 'code');
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED';
}

/** Whether a proxy hung up before there was a tunnel through it. */
export function isTunnelError(error: unknown): boolean {
  return property(error, 'code') === 'UND_ERR_PRX_CONN';
}

const OLD_METHOD = /^invalid on(Connect|Error) method$/;

/** undici 6 and older know handlers of the old kind only, and miss a method in ours. Names what is wrong then. */
export function namingOldUndici(error: unknown): unknown {
  const message = property(error, 'message');
  const isOld = typeof message === 'string' && OLD_METHOD.test(message);
  if (!isOld || property(error, 'code') !== 'UND_ERR_INVALID_ARG') return error;
  const text =
    'ebbInterceptor needs a dispatcher of undici 7 or 8, and was composed on one of undici 6 or older';
  return new TypeError(text, { cause: error });
}
