import {
  type Aside,
  isNodeReadable,
  isWebReadable,
  MOST_DISCARDED_BYTES,
  readToEnd,
  type Session,
} from '@ebb/core/adapter';
import { responseHeader } from '../headers.ts';
import { type BodyInterceptor, interceptBody, nativeBody } from './intercept-body.ts';

/** Makes reading a discarded body fail. */
class DiscardedBody implements BodyInterceptor {
  readonly #error: Error;

  constructor(error: Error) {
    this.#error = error;
  }

  read(): Promise<never> {
    return Promise.reject(this.#error);
  }

  stream(_: Response, native: () => unknown): unknown {
    const body = native();
    if (!isWebReadable(body)) return body;
    return new ReadableStream({ start: (controller) => controller.error(this.#error) });
  }

  clone(): never {
    throw this.#error;
  }
}

/** Cancels the body of a response; reading it then fails with an error that says so. */
function discard(response: Response, withinMs: number): void {
  const error = new Error(
    `the body of this ${response.status} was discarded for a retry, which was then not sent: ` +
      `only a body of up to ${MOST_DISCARDED_BYTES} bytes that arrives within ${Math.round(withinMs)} ms is kept`,
  );
  const body = nativeBody(response);
  interceptBody(response, new DiscardedBody(error));
  if (isWebReadable(body)) {
    if (!body.locked) body.cancel(error).catch(() => undefined);
  } else if (isNodeReadable(body)) {
    // An error without a listener would end the process.
    body.on('error', () => undefined);
    body.destroy?.(error);
  }
}

/** A clone to read, so that the response keeps its body; `undefined` for a mock that cannot be cloned. */
function cloneOf(response: Response): Response | undefined {
  try {
    return typeof response.clone === 'function' ? response.clone() : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a clone to its end, within bounds, so that the response can still become the result. */
function keep(response: Response, copy: Response, session: Session, signal: AbortSignal | undefined): Aside {
  const { discardMs, policy } = session;
  let isRestored = false;
  let isLost = false;
  const contentLength = responseHeader(response.headers, 'content-length');
  const read = async (): Promise<void> => {
    const isWhole = await readToEnd(copy.body, contentLength, policy.clock, signal, discardMs);
    if (isWhole || isRestored) return;
    isLost = true;
    discard(response, discardMs);
  };
  return {
    released: read(),
    get isLost() {
      return isLost;
    },
    restore: () => {
      isRestored = true;
      return response;
    },
  };
}

/** Reads a response that is followed by a retry to its end, within bounds. Does nothing for an error, which has no body. */
export function setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
  if (typeof settled !== 'object' || settled === null || settled instanceof Error) return undefined;
  const response = settled as Response;
  const { body } = response;
  if (!isWebReadable(body) && !isNodeReadable(body)) return undefined;
  const copy = session.keepsAnswer && !signal?.aborted ? cloneOf(response) : undefined;
  if (copy !== undefined) return keep(response, copy, session, signal);
  const contentLength = responseHeader(response.headers, 'content-length');
  return {
    released: readToEnd(body, contentLength, session.policy.clock, signal, session.discardMs).then(
      () => undefined,
    ),
  };
}
