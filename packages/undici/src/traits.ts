import { stringify } from 'node:querystring';
import type { FailureKind, Outcome, RequestTraits } from '@ebb/core';
import { property } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/body-of.ts';
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
export function responseOutcome(attempt: Attempt, status: number, headers: ResponseHeaders): Outcome {
  const header = (name: string): string | undefined => responseHeader(headers, name);
  // What follows redirects below starts the attempt anew for each hop.
  if (attempt.starts < 2) return { type: 'response', status, header };
  const url = attempt.hops?.at(-1);
  return {
    type: 'response',
    status,
    header,
    redirected: true,
    url: url === undefined ? undefined : String(url),
  };
}

/** What a policy may know of a failure. */
export function failureOutcome(
  attempt: Attempt,
  kind: FailureKind,
  error: unknown,
  { origin }: Dispatcher.DispatchOptions,
): Outcome {
  const redirected = !isFirstHop(attempt, error, origin !== undefined && origin !== null);
  return { type: 'failure', kind, error, redirected };
}

/** Whether something proves that no hop of the attempt had been answered. */
function isFirstHop({ starts, hops }: Attempt, error: unknown, isOriginKnown: boolean): boolean {
  // undici starts a request when it has a connection for it.
  if (starts !== 1) return starts === 0;
  // The redirect interceptor lists the hops that were answered, if it knows of what origin they are.
  if (hops !== undefined) return hops.length === 0 && isOriginKnown;
  const message = property(error, 'message');
  return typeof message === 'string' && message.includes('NGHTTP2_REFUSED_STREAM');
}
