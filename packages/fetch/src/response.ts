import {
  type Aside,
  type Call,
  discardMsOf,
  isError,
  property,
  responseHeader,
  restored,
  setAside as setBodyAside,
} from '@ebb/core/adapter';

/** The outcome of an attempt with a response; headers and URL are read lazily. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  readonly #response: Response;

  constructor(response: Response) {
    // A mock may lack a status, or may not even be an object.
    this.status = response?.status ?? 0;
    this.#response = response;
  }

  header(name: string): string | undefined {
    return responseHeader(this.#response?.headers, name);
  }

  get redirected(): boolean {
    return this.#response?.redirected === true;
  }

  /** The target of a redirect. */
  get url(): string | undefined {
    return this.redirected ? this.#response.url : undefined;
  }
}

/** The same response with another body; the response itself if it is a mock that cannot be made again. */
export function remade(response: Response, body: unknown): Response {
  try {
    // That of another fetch has a class of its own.
    const Own = response.constructor as typeof Response;
    const { url, redirected, type } = response;
    return Object.defineProperties(new Own(body as BodyInit, response), {
      url: { value: url },
      redirected: { value: redirected },
      type: { value: type },
    });
  } catch {
    return response;
  }
}

/** Reads a response that is followed by a retry to its end, within bounds, and keeps its body. An error has none. */
export function setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
  if (isError(settled)) return undefined;
  const response = settled as Response;
  const body: unknown = property(response, 'body');
  const aside = setBodyAside(body, {
    clock: call.policy.clock,
    longestMs: discardMsOf(call),
    contentLength: Number(responseHeader(property(response, 'headers'), 'content-length')),
    signal,
  });
  return aside && { released: aside.released, restore: () => remade(response, restored(body, aside)) };
}
