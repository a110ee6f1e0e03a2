import { expect, test } from 'vitest';
import type { Played } from '../migration/like/play.ts';
import { difference } from './difference.ts';

const played: Played = { sentMs: [0, 1_000], end: 'returns 200', endedMs: 1_005, log: ['retry 1'] };
const asked = { steps: [{ status: 503, headers: { 'retry-after': '1' } }] };

test.each<[string, Partial<Played>, string | undefined]>([
  ['the same', {}, undefined],
  ['rounded', { sentMs: [0, 1_001], endedMs: 1_006 }, undefined],
  ['a request less', { sentMs: [0] }, '1 requests, not 2'],
  ['a request too many', { sentMs: [0, 1_000, 1_000] }, '3 requests, not 2'],
  ['earlier', { sentMs: [0, 900], endedMs: 905 }, 'after 900,5 ms, not 1000,5'],
  ['later', { sentMs: [0, 1_200], endedMs: 1_205 }, 'after 1200,5 ms, not 1000,5'],
  ['a later end', { endedMs: 1_100 }, 'after 1000,100 ms, not 1000,5'],
  ['another end', { end: 'throws 503' }, 'ends with "throws 503", not "returns 200"'],
  ['no log', { log: [] }, 'logs , not retry 1'],
])('%s', (_, changes, expected) => {
  expect(difference(played, { ...played, ...changes }, { steps: [{ status: 503 }] })).toBe(expected);
});

test.each([
  [1_200, undefined],
  [1_300, 'after 1300,5 ms, not 1000,5'],
])('a wait that a server asks for may be a fifth longer: %i ms', (sentMs, expected) => {
  const port = { ...played, sentMs: [0, sentMs], endedMs: sentMs + 5 };
  expect(difference(played, port, asked)).toBe(expected);
});

test('and no more than a second', () => {
  const [original, port] = [10_000, 11_500].map((ms) => ({ ...played, sentMs: [0, ms], endedMs: ms + 5 }));
  expect(difference(original as Played, port as Played, asked)).toBe('after 11500,5 ms, not 10000,5');
});
