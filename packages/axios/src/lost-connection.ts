import { isTypeError, property } from '@ebb/core/adapter';

/**
 * True for the error of axios over fetch if the connection was lost in the middle of a body. A browser has a `TypeError` for it, and also for a mistake of
 * the program: then axios had no request.
 */
export function isLostConnection(error: unknown): boolean {
  return isTypeError(property(error, 'cause')) && Boolean(property(error, 'request'));
}
