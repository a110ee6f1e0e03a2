import { keptByCopies, makeMetadata } from '#platform';
import { isObject, property } from '../base/errors.ts';
import type { Attempt } from '../events/events.ts';
import { codeIn, DEEPEST_CAUSE } from '../http/failure.ts';
import type { Outcome } from '../http/outcome.ts';
import { LAYER } from '../nested/outer-call.ts';

import type { Grant } from '../policy/contracts.ts';

/** The entry of an attempt in the history. */
export function recordOf(
  attempt: number,
  delayMs: number,
  waitedMs: number,
  outcome: Outcome,
  reason: Attempt['reason'],
): Attempt {
  if (outcome.type === 'response') {
    const { status } = outcome;
    // A function that is retried has no status.
    return status === 0
      ? { attempt, delayMs, waitedMs, reason }
      : { attempt, delayMs, waitedMs, status, reason };
  }
  const { kind: failure, error } = outcome;
  return { attempt, delayMs, waitedMs, failure, ...codeIn(error), reason };
}

/** The longest history: a call may be repeated for ever, and a stream of a day resumed any number of times. */
const MOST_ATTEMPTS = 100;

/** Adds to a history, which forgets its first attempts if it gets too long. */
export function record(history: Attempt[], attempt: Attempt): void {
  if (history.push(attempt) > MOST_ATTEMPTS) history.shift();
}

/** The attempts that led to a result, and the tokens of the last attempt, if there is a bucket. */
export type HistoryRecord =
  | readonly Attempt[]
  | { readonly attempts: readonly Attempt[]; readonly grant: Grant };

/** Used when one object ended several calls. */
const OF_MANY: HistoryRecord = [];

type HistoryRecords = ReturnType<typeof makeMetadata<HistoryRecord>>;

/** The same for all copies of this package in a program. */
function sharedRecords(): HistoryRecords {
  const holder = globalThis as { [key: symbol]: HistoryRecords | undefined };
  const key = Symbol.for('@ebb/core traces');
  holder[key] ??= makeMetadata();
  return holder[key];
}

// A single store for attempts and grants: two stores would share the code of their class, which makes each of them slower.
const records: HistoryRecords = /* @__PURE__ */ sharedRecords();

/** Notes the history of a caller's result: a response, or an error. */
export function setHistory(result: unknown, history: HistoryRecord): void {
  if (isObject(result)) records.set(result, history);
}

/** Notes the history of a call that ended with the reason of its signal. The caller owns that object, and may use it again. */
export function setHistoryOfReason(reason: unknown, history: HistoryRecord): void {
  if (isObject(reason)) records.set(reason, records.get(reason) === undefined ? history : OF_MANY);
}

/** The attempts that led to a response or an error of an ebb client, without hedges; empty for anything else. */
export function attemptsOf(result: unknown): readonly Attempt[] {
  const history = historyOf(result);
  return 'attempts' in history ? history.attempts : history;
}

/** True for a response or an error with which a client of ebb has ended. */
export function hasHistory(result: unknown): boolean {
  return attemptsOf(result).length > 0;
}

/** True for an error with which a client of ebb has ended, or which such an error has caused. */
export function isOfCall(error: unknown, depth = 0): boolean {
  if (hasHistory(error)) return true;
  return depth < DEEPEST_CAUSE && isObject(error) && isOfCall(property(error, 'cause'), depth + 1);
}

function historyOf(result: unknown): HistoryRecord {
  if (!isObject(result)) return OF_MANY;
  return records.get(result) ?? records.get(keptByCopies(result) ?? OF_MANY) ?? OF_MANY;
}

/** Adds the notes of a nested client on the result to the entry of the attempt. To be called before a retry. */
export function keepNotes({ history }: { readonly history: readonly Attempt[] }, result: unknown): void {
  Object.assign(history.at(-1) as Attempt, property(result, LAYER));
}

/**
 * The tokens of the last attempt, for a response or an error of an ebb client: to settle a cost that is known only after
 * the response. `undefined` if the policy has no bucket.
 *
 * @example
 * ```ts
 * import { grantOf, tokenBucket } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ bucket: tokenBucket({ refillPerSecond: 1_000, capacity: 10_000 }), cost: 500 });
 * const response = await fetch('https://api.example.com/');
 * grantOf(response)?.settle(120); // Gives the other 380 tokens back.
 * ```
 */
export function grantOf(result: unknown): Grant | undefined {
  const history = historyOf(result);
  return 'attempts' in history ? history.grant : undefined;
}

/** The histories of calls that were successful at once, by status. */
const histories: (readonly Attempt[] | undefined)[] = [];

/** The history of a call that was successful at once. All with the same status share it. */
export function successOf(status: number): readonly Attempt[] {
  let history = histories[status];
  if (history === undefined) {
    const record: Attempt = { attempt: 1, delayMs: 0, waitedMs: 0, status, reason: 'success' };
    history = Object.freeze([Object.freeze(record)]);
    // A mock may have any number for a status.
    if (status >= 100 && status < 400 && Number.isInteger(status)) histories[status] = history;
  }
  return history;
}

/** Notes the history of a call that was successful at once. */
export function setHistoryOfSuccess(result: unknown, status: number): void {
  setHistory(result, successOf(status));
}
