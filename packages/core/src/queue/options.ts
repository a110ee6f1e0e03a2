import { devText } from '#dev-text';
import { notNegative, wholeNumber, withMethods } from '../base/check.ts';
import type { Complete, OptionTable } from '../base/options.ts';
import { fifo } from './fifo.ts';
import type { QueueOrder } from './queue.ts';

/** Limits of the queue in front of a bucket or a concurrency limit. */
export interface WaitingOptions {
  /**
   * The most requests in the queue, requests to paused origins included. A new request is refused when the queue is full, unless the order of the `queue` refuses another one for it.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  /**
   * The longest wait, in milliseconds. A request that would wait longer is refused at once.
   * @default no limit
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * The order of the waiting requests: the result of `priorityQueue` or `fairQueue`. By default first come, first served, but a
   * retry goes before new requests unless they have waited 30 s longer.
   * @default in order of arrival
   */
  readonly queue?: QueueOrder | undefined;
}

/** Validated options with all defaults applied. */
export type WaitingSetup = Complete<WaitingOptions>;

/** How the options of a queue are read. */
export const WAITING_OPTIONS: OptionTable<WaitingOptions> = {
  maxQueue: { check: wholeNumber, default: Infinity },
  maxWaitMs: { check: notNegative, default: Infinity },
  queue: {
    check: /* @__PURE__ */ withMethods(devText('what priorityQueue returns'), 'make'),
    default: fifo,
  },
};
