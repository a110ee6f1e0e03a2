import type { Outcome } from '@ebb/core';
import { responseHeader } from '@ebb/core/adapter';

/** A custom `classify` asks for one or two headers. */
const MOST_LOOK_UPS = 2;

function isIterable(headers: unknown): headers is Iterable<[string, string]> {
  return typeof (headers as Partial<Iterable<unknown>> | undefined)?.[Symbol.iterator] === 'function';
}

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
    const headers = this.#response?.headers;
    if (this.#asked <= MOST_LOOK_UPS || !isIterable(headers)) return responseHeader(headers, name);
    this.#all ??= new Map(headers);
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
