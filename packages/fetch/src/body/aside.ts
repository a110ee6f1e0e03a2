import { type Aside, MOST_DISCARDED_BYTES, readToEnd, type Session } from '@ebb/core/adapter';
import { responseHeader } from '../headers.ts';
import { type BodyKeeper, keepBodyOf, nativeBody } from './intercept-body.ts';
import { isNodeReadable, isWebReadable } from './kinds.ts';

/** Refuses to give out a body that is gone. */
class GoneBody implements BodyKeeper {
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

/** Breaks off the body of a response, and lets reading it fail with the reason. */
function letGo(response: Response, withinMs: number): void {
  const error = new Error(
    `the body of this ${response.status} is gone: a retry was to follow, which was then not sent, ` +
      `and more than ${MOST_DISCARDED_BYTES} bytes or ${Math.round(withinMs)} ms of it are not kept for that`,
  );
  const body = nativeBody(response);
  keepBodyOf(response, new GoneBody(error));
  if (isWebReadable(body)) {
    if (!body.locked) body.cancel(error).catch(() => undefined);
  } else if (isNodeReadable(body)) {
    // What is destroyed with an error that no one listens for ends the process.
    body.on('error', () => undefined);
    body.destroy?.(error);
  }
}

/** A clone, whose reading keeps the body for the response; nothing for a mock that cannot be cloned. */
function cloneOf(response: Response): Response | undefined {
  try {
    return typeof response.clone === 'function' ? response.clone() : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a clone to its end, so that the response itself can still be read. */
function keep(response: Response, copy: Response, session: Session, signal: AbortSignal | undefined): Aside {
  const { discardMs, policy } = session;
  let isRestored = false;
  const contentLength = responseHeader(response.headers, 'content-length');
  const read = async (): Promise<void> => {
    const isWhole = await readToEnd(copy.body, contentLength, policy.clock, signal, discardMs);
    if (!isWhole && !isRestored) letGo(response, discardMs);
  };
  return {
    released: read(),
    restore: () => {
      isRestored = true;
      return response;
    },
  };
}

/** Lets go of a response that a retry is to follow. What fetch rejects with is an error, and needs none of this. */
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
