import type { Policy, PolicyOptions, RequestTraits, ServerEvent } from '@ebb/core';

import { createPolicy, MOST_KEPT_BYTES } from '@ebb/core/adapter';
import {
  type Complete,
  callable,
  flag,
  type OptionTable,
  positive,
  readOptions,
  wholeNumber,
} from '@ebb/core/internal';

/** Options of resumptions, in each client. All of them are optional. `Given` is what `resumeWith` returns. */
export interface ResumeOptions<Given> {
  /**
   * The policy of the client below: its `backoff`, `random`, `clock`, `onEvent`, `retryAfter` and `totalTimeoutMs` hold for
   * resumptions.
   * @default createPolicy()
   */
  readonly policy?: PolicyOptions | undefined;
  /**
   * The most resumptions in a row without a byte that can be passed on. 0 never resumes: breaks are then only explained, and `isLast` still
   * holds.
   * @default 5
   */
  readonly maxResumes?: number | undefined;
  /**
   * The longest silence while the body is read, in milliseconds. A longer one is a break like any other. Servers send comments or
   * pings in between: 3 times their interval is a start.
   * @default none
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * The most bytes of an unfinished event that are kept in memory. A longer one is passed on as it comes, and unread, with what arrives
   * together with its end: the stream cannot be resumed before it has brought another id, and `isLast` does not hold for its end.
   * @default 1 MiB
   */
  readonly maxEventBytes?: number | undefined;
  /**
   * True if the end of an event stream is a break, as for an EventSource: some servers close connections on purpose, and MCP is one
   * of these protocols. The stream then ends with a 204, or after the last event.
   * @default false
   */
  readonly resumeAtEnd?: boolean | undefined;
  /**
   * True for the event that is the last of a whole stream. If a stream ends without it, that is a break: it is resumed, or else
   * its reader gets an error. See `openaiIsLast`, `anthropicIsLast` and `googleIsLast` of `@ebb/providers`.
   * @default none
   */
  readonly isLast?: ((event: ServerEvent) => boolean) | undefined;
  /**
   * The id of an event, for a server that writes it into the data. `lastId` is that of the event before; `undefined` leaves it.
   * @default the `id` of the event
   */
  readonly idOf?: ((event: ServerEvent, lastId: string | undefined) => string | undefined) | undefined;
  /**
   * Makes the request for the rest of an event stream, for one that a POST began. It has the `ebb` options of the first, and its abort
   * ends it. `undefined` refuses.
   * @default a GET is sent again with `Last-Event-ID`, another method is not resumed
   */
  readonly resumeWith?: ((lastId: string, request: RequestTraits) => Given | undefined) | undefined;
}

/** Options that may stay unset. */
type UnsetOption = 'policy' | 'idleTimeoutMs' | 'isLast' | 'idOf' | 'resumeWith';

/** Options of resumptions with all defaults applied. */
export type ReadResumeOptions<Given> = Omit<Complete<ResumeOptions<Given>, UnsetOption>, 'policy'> & {
  readonly policy: Policy;
};

const TABLE: OptionTable<ResumeOptions<unknown>, UnsetOption> = {
  // Checked by `createPolicy`.
  policy: { check: () => undefined },
  maxResumes: { check: wholeNumber, default: 5 },
  idleTimeoutMs: { check: positive },
  maxEventBytes: { check: wholeNumber, default: MOST_KEPT_BYTES },
  resumeAtEnd: { check: flag, default: false },
  isLast: { check: callable },
  idOf: { check: callable },
  resumeWith: { check: callable },
};

/** @throws TypeError, RangeError if an option is invalid */
export function readResumeOptions<Given>(options: ResumeOptions<Given>): ReadResumeOptions<Given> {
  const read = readOptions<ResumeOptions<unknown>, UnsetOption>('resumable', options, TABLE);
  return { ...read, policy: createPolicy(read.policy) } as ReadResumeOptions<Given>;
}
