import type { Outcome } from '@ebb/core';
import {
  type Aside,
  type Call,
  discardMsOf,
  isError,
  isNodeReadable,
  isWebReadable,
  keepsAnswer,
  property,
  readToEnd,
  responseHeader,
} from '@ebb/core/adapter';
import { discard } from '#platform';

/** A custom `classify` asks for one or two headers. */
const MOST_LOOK_UPS = 2;

/** The outcome of an attempt with a response; headers and URL are read lazily. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  readonly #response: Response;
  /** How many headers were asked for. */
  #asked = 0;
  #all: Map<string, string> | undefined;

  constructor(response: Response) {
    // A mock may lack a status, or may not even be an object.
    this.status = response?.status ?? 0;
    this.#response = response;
  }

  /** A look-up takes longer than a step of an iteration: what reads many headers gets a copy. */
  header(name: string): string | undefined {
    this.#asked += 1;
    const headers: unknown = this.#response?.headers;
    const { [Symbol.iterator]: iterate } = (headers ?? {}) as Partial<Headers>;
    if (this.#asked <= MOST_LOOK_UPS || iterate === undefined) return responseHeader(headers, name);
    this.#all ??= new Map(headers as Headers);
    return this.#all.get(name);
  }

  get redirected(): boolean {
    return this.#response?.redirected === true;
  }

  /** The target of a redirect. */
  get url(): string | undefined {
    return this.redirected ? this.#response.url : undefined;
  }
}

ResponseOutcome satisfies new (
  response: Response,
) => Outcome;

/** A clone to read, so that the response keeps its body; `undefined` for a mock that cannot be cloned. */
function cloneOf(response: Response): Response | undefined {
  try {
    return response.clone();
  } catch {
    return undefined;
  }
}

/**
 * Reads a response that is followed by a retry to its end, within bounds. Does nothing for an error, which has no body. If the
 * retry may not be sent, a clone is read, so that the response can still become the result.
 */
export function setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
  const body = isError(settled) ? undefined : property(settled, 'body');
  if (!isWebReadable(body) && !isNodeReadable(body)) return undefined;
  const response = settled as Response;
  const discardMs = discardMsOf(call);
  const copy = keepsAnswer(call) && !signal?.aborted ? cloneOf(response) : undefined;
  const length = responseHeader(response.headers, 'content-length');
  const read = readToEnd((copy ?? response).body, length, call.policy.clock, signal, discardMs);
  let isRestored = false;
  const aside = {
    isLost: copy === undefined,
    released: read.then((isWhole) => {
      if (copy === undefined || isWhole || isRestored) return;
      aside.isLost = true;
      if (discard) discard(response, discardMs);
      // Not the body above, which the clone has locked.
      else response.body?.cancel().catch(() => undefined);
    }),
    restore: (): unknown => {
      isRestored = true;
      return response;
    },
  };
  return aside;
}
