import { notNegative } from '../../base/check.ts';
import { CLOCK_OPTION } from '../../base/clock.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import type { Clock } from '../../base/time.ts';
import { responseHeader } from '../../http/headers.ts';
import { type DeadlineOptions, HEADERS } from './deadline.ts';
import { timeIn } from './header.ts';

/** An incoming request: of `node:http`, or a `Request`. */
export interface IncomingRequest {
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null };
}

/** Options of {@link remainingFrom}. */
export interface RemainingTimeOptions extends DeadlineOptions {
  /** The time for a request without the header, and the most that is granted to a client, in milliseconds. */
  readonly mostMs: number;
  /** @default the system's */
  readonly clock?: Clock | undefined;
}

const OPTIONS: OptionTable<RemainingTimeOptions> = {
  ...HEADERS,
  mostMs: { check: notNegative, required: true },
  clock: CLOCK_OPTION,
};

/** Options for the requests that a service makes for an incoming one. */
export interface RemainingTime {
  /** The time that is left now, in milliseconds; 0 once it is up. */
  readonly totalTimeoutMs: number;
  /** 0 if the caller retries. */
  readonly maxRetries?: 0;
}

/**
 * The options for the requests of a service while it serves another one: the time for which its client still waits, as `totalTimeoutMs`, and
 * no retries if the client retries itself. Call it as the request comes in; `totalTimeoutMs` goes down from then on.
 *
 * The header is from the network: a wrong one counts as none, and none grants more than `mostMs`.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { deadline, remainingFrom } from '@ebb/core/deadlines';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ plugins: [deadline()] });
 * createServer(async (request, response) => {
 *   const ebb = remainingFrom(request, { mostMs: 10_000 });
 *   const { status } = await fetch('https://stock.example.com/', { ebb });
 *   response.writeHead(status).end();
 * });
 * ```
 */
export function remainingFrom(request: IncomingRequest, options: RemainingTimeOptions): RemainingTime {
  const { header, retriesHeader, mostMs, clock } = readOptions('remainingFrom', options, OPTIONS);
  const headerOf = (name: string): string | undefined => responseHeader(request.headers, name.toLowerCase());
  const untilMs = clock.now() + Math.min(mostMs, timeIn(header, headerOf(header)) ?? mostMs);
  return {
    get totalTimeoutMs() {
      return Math.max(0, untilMs - clock.now());
    },
    ...(headerOf(retriesHeader) === undefined ? {} : { maxRetries: 0 }),
  };
}
