import { expect, test } from 'vitest';
import { setHistory } from '../../call/history.ts';
import type { Attempt } from '../../events/events.ts';
import { mayHaveSucceeded } from './may-have-succeeded.ts';

type Entry = Partial<Attempt>;

/** A result with this history. */
function resultOf(...entries: readonly Entry[]): object {
  const result = new Response();
  const times = { delayMs: 0, waitedMs: 0, reason: 'transient' as const };
  setHistory(
    result,
    entries.map((one, at) => ({ attempt: at + 1, ...times, ...one })),
  );
  return result;
}

const broken: Entry = { failure: 'network' };
const late: Entry = { failure: 'timeout' };
const unsent: Entry = { failure: 'connect', reason: 'refused' };
const gone: Entry = { status: 404, reason: 'final' };
const unmet: Entry = { status: 412, reason: 'final' };

test.each<[what: string, entries: readonly Entry[], may: boolean]>([
  // How the request has ended, after a connection that broke.
  ['404', [broken, gone], true],
  ['410', [broken, { status: 410, reason: 'final' }], true],
  ['412', [broken, unmet], true],
  ['200', [broken, { status: 200, reason: 'success' }], false],
  ['400', [broken, { status: 400, reason: 'final' }], false],
  ['403', [broken, { status: 403, reason: 'final' }], false],
  ['409', [broken, { status: 409, reason: 'final' }], false],
  ['500', [broken, { status: 500, reason: 'retries-exhausted' }], false],
  ['no answer', [broken, { ...broken, reason: 'retries-exhausted' }], false],
  // What went before a 404 or 412.
  ['nothing', [gone], false],
  ['a timeout', [late, unmet], true],
  ['a 500', [{ status: 500 }, gone], true],
  ['a 503', [{ status: 503 }, unmet], true],
  ['a 599', [{ status: 599 }, gone], true],
  ['a status above 5xx', [{ status: 600 }, gone], false],
  ['no connection: nothing was done', [unsent, gone], false],
  ['a 429: nothing was done', [{ status: 429, reason: 'refused' }, gone], false],
  ['a 503 that was judged as a refusal', [{ status: 503, reason: 'refused' }, gone], false],
  ['a 408', [{ status: 408 }, gone], false],
  ['a 404 that was asked again', [{ status: 404 }, gone], false],
  ['a 401 whose credentials were refreshed', [{ status: 401, reason: 'refused' }, gone], false],
  ['a skipped attempt', [{ reason: 'skipped' }, gone], false],
  ['several, of which the first may be done', [late, unsent, { status: 429, reason: 'refused' }, gone], true],
  ['several, of which the last may be done', [unsent, broken, unmet], true],
  ['several, of which none may be done', [unsent, { status: 429, reason: 'refused' }, gone], false],
  // What came after the answer that the caller gets.
  [
    'an attempt that the total timeout has ended',
    [broken, { status: 404 }, { ...late, reason: 'deadline-exceeded' }],
    true,
  ],
  ['the same, of a first 404', [{ status: 404 }, { ...late, reason: 'deadline-exceeded' }], false],
  [
    'attempts that limits have skipped',
    [broken, { status: 404 }, { reason: 'skipped' }, { reason: 'overload' }],
    true,
  ],
  [
    'an attempt that failed: its error is the result',
    [broken, { status: 404 }, { ...broken, reason: 'final' }],
    false,
  ],
  ['an abort', [broken, { status: 404 }, { failure: 'aborted', reason: 'aborted' }], false],
  // Another try of the same attempt.
  ['a hedge', [{ ...gone, hedges: [{ delayMs: 5, won: true, outcome: undefined }] }], true],
  ['no hedge', [{ ...gone, hedges: [] }], false],
])('%s: %j may have succeeded: %s', (_, entries, may) => {
  expect(mayHaveSucceeded(resultOf(...entries))).toBe(may);
});

test.each([undefined, null, 404, 'text', {}, new Error('404'), new Response(null, { status: 404 })])(
  'what is not of ebb has not',
  (result) => {
    expect(mayHaveSucceeded(result)).toBe(false);
  },
);
