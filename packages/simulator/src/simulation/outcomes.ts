import type { Outcome, RequestTraits } from '@ebb/core';

/** Every request, as core knows it. */
export const REQUEST: RequestTraits = {
  method: 'GET',
  url: 'https://service.example/',
  replayable: true,
  header: () => undefined,
};

/** For a client that counts what a service has answered. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome.type === 'response' && outcome.status < 400;
}

/** The outcomes of an attempt, as numbers, so that an answer on its way is a number. */
export const OK = 0;
export const UNAVAILABLE = 1;
/** The connection was refused, so the server did nothing. */
export const REFUSED = 2;
/** The connection broke, perhaps after the server had acted. */
export const RESET = 3;
export const TIMED_OUT = 4;
export const FIRST_TOO_MANY = 5;
/** The longest Retry-After of a simulated server. */
const MOST_SECONDS = 100;

/** A 429, with Retry-After if it is defined. */
export function tooMany(retryAfterSeconds: number | undefined): number {
  return retryAfterSeconds === undefined
    ? FIRST_TOO_MANY
    : FIRST_TOO_MANY + 1 + Math.min(retryAfterSeconds, MOST_SECONDS);
}

function response(status: number, retryAfter?: string): Outcome {
  return { type: 'response', status, header: (name) => (name === 'retry-after' ? retryAfter : undefined) };
}

function failure(kind: 'connect' | 'network' | 'timeout'): Outcome {
  return { type: 'failure', kind, error: undefined };
}

/** The outcomes as core knows them. */
export const OUTCOMES: readonly Outcome[] = [
  response(200),
  response(503),
  failure('connect'),
  failure('network'),
  failure('timeout'),
  response(429),
  ...Array.from({ length: MOST_SECONDS + 1 }, (_, seconds) => response(429, String(seconds))),
];
