import { property } from '../base/errors.ts';
import { causeOf, isTypeError } from '../http/failure.ts';

/** The messages of Chrome, Firefox, Safari and React Native for a connection that was lost. Some browsers append the host in brackets. */
const MESSAGES =
  /^(failed to fetch|load failed|error in (body|input) stream|((a|the) )?(network|internet connection)[\w ]*|could not connect to the server|a server with the specified hostname could not be found|the request timed out)\.?( \(.*\))?$/is;

/** True for the `TypeError` of a browser's own fetch: a function that is retried may also throw one for a mistake in the program. */
export function isBrowserFailure(error: unknown): boolean {
  const message = property(error, 'message');
  return isTypeError(error) && !causeOf(error) && typeof message === 'string' && MESSAGES.test(message);
}
