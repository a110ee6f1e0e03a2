import { expect } from 'vitest';
import type { Run } from './play.ts';
import type { Expected } from './scenarios.ts';
import type { Seen } from './server.ts';

/** Compares the result of a run, and the requests that the upstream received, with the row of the scenario. */
export function judge(expected: Expected, run: Run, seen: readonly Seen[]): void {
  const { delays, hits, status, body, bodies, reason } = expected;
  expect({ ...run, hits: seen.length }).toMatchObject({ delays, reason, hits, pending: 0 });
  expect(run.got?.status).toBe(status);
  if (body !== undefined) expect(run.got?.body).toBe(body);
  if (bodies !== undefined) expect(seen.map((request) => request.body)).toEqual(bodies);
}
