import { constant, exponential } from '@ebb/core';
import type { Row } from '../row.ts';
import { type Step, up } from '../step.ts';

const after = (value: string | string[], status = 503): Step => ({
  status,
  body: 'down',
  headers: { 'retry-after': value },
});
const tooLong = { delays: [], hits: 1, status: 503, reason: 'retry-after-too-long' };
const asBackoff = { delays: [1_000], hits: 2, status: 200, reason: 'success' };

/** The values of `Retry-After`, and the delays that follow. */
export const retryAfter: readonly Row[] = [
  {
    name: 'Retry-After: 20',
    script: [after('20'), up],
    delays: [20_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After: 20 with 429',
    script: [after('20', 429), up],
    delays: [20_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After: 20, plus jitter',
    script: [after('20'), up],
    policy: { random: () => 0.5 },
    delays: [20_500],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After shorter than the backoff',
    script: [after('1'), up],
    policy: { backoff: exponential({ baseMs: 5_000, capMs: 60_000 }) },
    delays: [5_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  { name: 'Retry-After: 3000000', script: [after('3000000')], ...tooLong },
  { name: 'Retry-After in the year 2300', script: [after('Mon, 01 Jan 2300 00:00:00 GMT')], ...tooLong },
  {
    name: 'Retry-After: 3000000 with a larger retryAfter.maxMs',
    script: [after('3000000'), up],
    policy: { retryAfter: { maxMs: 4e9 } },
    delays: [3e9],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After: 20 above retryAfter.maxMs, capped',
    script: [after('20'), up],
    policy: { retryAfter: { maxMs: 3_000, then: 'cap' } },
    delays: [3_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After: 20 above a retryAfter.maxMs of the request, capped as the policy says',
    script: [after('20'), up],
    request: { ebb: { retryAfter: { maxMs: 2_000 } } },
    policy: { retryAfter: { maxMs: 3_000, then: 'cap' } },
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  { name: 'Retry-After: 0 does not shorten the backoff', script: [after('0'), up], ...asBackoff },
  { name: 'Retry-After in the past', script: [after('Sun, 06 Nov 1994 08:49:37 GMT'), up], ...asBackoff },
  ...['Sat, 21 Nov 2026 12:00:30 GMT', 'Saturday, 21-Nov-26 12:00:30 GMT', 'Sat Nov 21 12:00:30 2026'].map(
    (date) => ({
      name: `Retry-After: ${date}, 30 s after the Date of the response`,
      script: [{ status: 503, headers: { 'retry-after': date, date: 'Sat, 21 Nov 2026 12:00:00 GMT' } }, up],
      delays: [30_000],
      hits: 2,
      status: 200,
      reason: 'success',
    }),
  ),
  ...['-5', '0x10', '1e3', 'Infinity', 'soon', '.5', 'soon, later'].map((junk) => ({
    name: `Retry-After: ${junk}`,
    script: [after(junk), up],
    ...asBackoff,
  })),
  ...Object.entries<[value: string | string[], delayMs: number]>({
    'Retry-After: 1.5 is 1.5 s': ['1.5', 1_500],
    'Retry-After: 2, 3 takes the larger': ['2, 3', 3_000],
    'two Retry-After lines: the larger': [['3', '5'], 5_000],
    'two Retry-After lines, the larger first': [['5', '3'], 5_000],
    'two Retry-After lines, one of them a date': [['10', 'Sat, 21 Nov 2026 12:00:30 GMT'], 30_000],
  }).map(([name, [value, delayMs]]) => ({
    name,
    script: [{ status: 503, headers: { 'retry-after': value, date: 'Sat, 21 Nov 2026 12:00:00 GMT' } }, up],
    delays: [delayMs],
    hits: 2,
    status: 200,
    reason: 'success',
  })),
  {
    name: 'Retry-After: 0.5, below the backoff',
    script: [after('0.5'), up],
    ...asBackoff,
  },
  {
    name: 'Retry-After: 0.5, above the backoff',
    script: [after('0.5'), up],
    policy: { backoff: constant(10) },
    delays: [500],
    hits: 2,
    status: 200,
    reason: 'success',
  },
];
