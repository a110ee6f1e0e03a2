import { stringify } from 'node:querystring';
import type { Outcome, RequestTraits } from '@ebb/core';
import type { Dispatcher } from 'undici';
import type { RequestBody } from './body.ts';
import { type ResponseHeaders, requestHeader, responseHeader } from './headers.ts';

/** What a policy may know of a request, looked up when it asks. */
export class Traits implements RequestTraits {
  readonly #options: Dispatcher.DispatchOptions;
  readonly #body: RequestBody | undefined;
  readonly #ownOrigin: string;

  /** @param ownOrigin stands for the dispatcher's, where the options name none */
  constructor(options: Dispatcher.DispatchOptions, body: RequestBody | undefined, ownOrigin: string) {
    this.#options = options;
    this.#body = body;
    this.#ownOrigin = ownOrigin;
  }

  get method(): string {
    return String(this.#options.method).toUpperCase();
  }

  get url(): string {
    const { origin, query } = this.#options;
    const path = String(this.#options.path);
    const host = /^https?:\/\//.test(path) ? '' : String(origin ?? this.#ownOrigin).replace(/\/$/, '');
    return `${host}${path}${query ? `?${stringify(query)}` : ''}`;
  }

  get replayable(): boolean {
    return this.#body?.replayable ?? true;
  }

  header(name: string): string | undefined {
    return requestHeader(this.#options.headers, name);
  }
}

/** What a policy may know of a response. */
export function responseOutcome(status: number, headers: ResponseHeaders): Outcome {
  return { type: 'response', status, header: (name) => responseHeader(headers, name) };
}
