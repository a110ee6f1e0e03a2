import { expect } from 'vitest';
import type { Run } from './play.ts';
import type { Scenario } from './scenarios.ts';
import type { Seen } from './server.ts';

/** Compares the history of a call with its events: the attempts, the delay before each, and the reason of the end. */
function judgeHistory(
  { abort, delays, failure, reason, status, stops }: Scenario,
  { attempts, history, got }: Run,
): void {
  if (history === undefined || reason === undefined || attempts === 0) return;
  // A download that is resumed has two entries for its attempt: its headers, and the break.
  const delayOf = new Map(history.map(({ attempt, delayMs }) => [attempt, delayMs]));
  const expected = [0, ...delays].slice(0, attempts);
  expect([...delayOf]).toEqual(expected.map((delayMs, at) => [at + 1, delayMs]));
  const last = history.at(-1);
  // After an abort between two attempts, the last entry says why there was to be another.
  if (abort !== 'retry' || stops) expect(last?.reason).toBe(reason);
  expect(last?.failure).toBe(failure ?? last?.failure);
  if (failure === undefined && got !== undefined && history.length === attempts)
    expect(last?.status).toBe(status);
}

/** Compares the result of a run, and the requests that the upstream received, with the row of the scenario. */
export function judge(expected: Scenario, run: Run, seen: readonly Seen[]): void {
  const { delays, hits, status, body, bodies, reason, thrown, waits = [] } = expected;
  const { reason: ended } = run;
  // A run that comes from another process as JSON has no member for a reason that is undefined.
  expect({ ...run, reason: ended, hits: seen.length }).toMatchObject({
    delays,
    reason,
    hits,
    waits,
    pending: 0,
    held: 0,
  });
  expect(run.got?.status).toBe(status);
  if (body !== undefined) expect(run.got?.body).toBe(body);
  if (thrown !== undefined) expect(run.thrown).toBe(thrown);
  if (bodies !== undefined) expect(seen.map((request) => request.body)).toEqual(bodies);
  judgeHistory(expected, run);
}
