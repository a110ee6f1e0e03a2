import type { Outcome } from '@ebb/core';
import { responseHeader } from './headers.ts';

/** What a response tells, read from it only when it is asked. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  readonly #response: Response;

  constructor(response: Response) {
    // A mock may be anything; one without a status passes for what it is.
    this.status = response?.status ?? 0;
    this.#response = response;
  }

  header(name: string): string | undefined {
    return responseHeader(this.#response?.headers, name);
  }

  get redirected(): boolean {
    return this.#response?.redirected === true;
  }

  /** Where a redirect led to. */
  get url(): string | undefined {
    return this.redirected ? this.#response.url : undefined;
  }
}

ResponseOutcome satisfies new (
  response: Response,
) => Outcome;
