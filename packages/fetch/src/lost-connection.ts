import { isTypeError } from '@ebb/core/adapter';
import { type EbbRequestInit, type FetchInput, isRequest, membersOf } from './request.ts';

/** A request, as its owner has made it, with the headers of its attempt. */
interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly source: readonly [fetch: unknown, input: FetchInput, init: EbbRequestInit | undefined];
  /** @throws TypeError for a header that is wrong */
  sentHeaders(): Headers;
}

/**
 * True for the error of a connection that was lost. A browser has a `TypeError` for it, and also for a mistake of the program: then the
 * request cannot be made again either. Its body is left alone, since it may be used up.
 */
export function isLostConnection(error: unknown, request: SentRequest): boolean {
  if (!isTypeError(error)) return false;
  const { url, method, source } = request;
  const init = source[2];
  try {
    const members = init && !isRequest(init) && membersOf(init);
    // A method such as GET takes no body.
    const body = init?.body ? '' : undefined;
    new Request(url, { ...members, method, headers: request.sentHeaders(), body } as RequestInit);
    return true;
  } catch {
    return false;
  }
}
