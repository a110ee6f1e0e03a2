import type { Attempt } from '@ebb/core';
import { check, difference } from './difference.ts';
import type { Run } from './play.ts';
import type { Row } from './row.ts';
import type { ReceivedRequest } from './step.ts';

/** The facts about the adapter that the judge needs. */
export interface AdapterFacts {
  readonly timeoutError: string;
  /** True if each of its responses must have a history. */
  readonly hasHistory: boolean;
}

type Differences = readonly (string | undefined)[];

/** A line for each request, to tell those of the client from one that came from elsewhere. */
function linesOf(seen: readonly ReceivedRequest[]): string[] {
  return seen.map(
    ({ method, path, headers }) => `received: ${method} ${path}, ${headers['user-agent'] ?? 'no agent'}`,
  );
}

/** Compares the history of a call with its events: the attempts, the delay before each, and the reason of the end. */
function inHistory(row: Row, { attempts, got }: Run, history: readonly Attempt[]): Differences {
  const { abort, delays, failure, reason, status, stops } = row;
  // A download that is resumed has two entries for its attempt: its headers, and the break.
  const delayOf = new Map(history.map(({ attempt, delayMs }) => [attempt, delayMs]));
  const expected = [0, ...delays].slice(0, attempts).map((delayMs, at) => [at + 1, delayMs]);
  const last = history.at(-1);
  // The caller has the status of the first response, also if the last one brought the rest of its body.
  const isResumed = history.some((entry) => entry.reason === 'resumed');
  const isComplete = failure === undefined && got !== undefined && history.length === attempts && !isResumed;
  return [
    difference('attempts and delays in the history', [...delayOf], expected),
    // After an abort between two attempts, the last entry says why there was to be another.
    abort === 'retry' && !stops
      ? undefined
      : difference('the last reason in the history', last?.reason, reason),
    failure && difference('the last failure in the history', last?.failure, failure),
    isComplete ? difference('the last status in the history', last?.status, status) : undefined,
  ];
}

function ofHistory(row: Row, run: Run, { hasHistory }: AdapterFacts): Differences {
  const { history, got, attempts } = run;
  if (row.reason === undefined || attempts === 0) return [];
  if (history !== undefined) return inHistory(row, run, history);
  return hasHistory && got !== undefined ? ['the response has no history'] : [];
}

/**
 * Compares the result of a run, and the requests that the upstream received, with the row.
 *
 * @throws Error that lists all differences
 */
export function judge(row: Row, run: Run, seen: readonly ReceivedRequest[], judged: AdapterFacts): void {
  const { delays, hits, status, body, bodies, reason, thrown, carried, waits = [], timers = 0 } = row;
  const expectedThrow = thrown === 'a timeout' ? judged.timeoutError : thrown;
  const values = seen.map(({ headers }) => headers[carried?.header ?? '']);
  check(
    [
      difference('delays', run.delays, delays),
      difference('waits', run.waits, waits),
      difference('the reason of the end', run.reason, reason),
      difference('requests received', seen.length, hits),
      difference('status', run.got?.status, status),
      body === undefined ? undefined : difference('body', run.got?.body, body),
      thrown === undefined ? undefined : difference('what was thrown', run.thrown, expectedThrow),
      bodies &&
        difference(
          'bodies received',
          seen.map((request) => request.body),
          bodies,
        ),
      carried && difference(`${carried.header} received`, values, carried.values),
      difference('timers left', run.pending, timers),
      difference('slots still held', run.held, 0),
      run.orderFault && `the order of events: ${run.orderFault}`,
      ...ofHistory(row, run, judged),
    ],
    run.error,
    linesOf(seen),
  );
}
