import type { Outcome } from '@ebb/core';
import { responseHeader } from './headers.ts';

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

ResponseOutcome satisfies new (
  response: Response,
) => Outcome;
