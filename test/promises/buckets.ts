import { type Promised, promises } from './promise.ts';

const FOLDER = 'packages/core/src/limits/bucket';
const RATE = `${FOLDER}/adaptive-rate.ts`;
const PER_KEY = 'packages/core/src/limits/per-key/per-key.ts';
const ofRate = [`${FOLDER}/adaptive-rate.test.ts`, `${FOLDER}/adaptive.test.ts`];
const adaptive = [`${FOLDER}/adaptive.test.ts`];
const bucket = [`${FOLDER}/token-bucket.test.ts`];
const ofKey = 'packages/core/src/limits/per-key';
const perKey = [`${ofKey}/per-key.test.ts`, `${ofKey}/per-key-limits.test.ts`];

export const BUCKETS: readonly Promised[] = [
  ...promises('docs/strategies/token-bucket.md', [
    {
      says: 'at most `capacity + refillPerSecond · window` tokens are granted',
      file: `${FOLDER}/level.ts`,
      from: 'return Math.min(this.capacity, this.#tokens + refills * this.#perRefill);',
      to: 'return this.#tokens + refills * this.#perRefill;',
      tests: [...bucket, `${FOLDER}/level.test.ts`],
    },
    {
      says: 'A small cost does not overtake a large one',
      file: `${FOLDER}/queued-bucket.ts`,
      from: 'const isNext = !waiters?.next(nowMs) && !origin?.line?.first;',
      to: 'const isNext = true;',
      tests: [...bucket, `${FOLDER}/waiting-bucket.test.ts`],
    },
    {
      says: 'unless they have waited 30 s longer',
      file: 'packages/core/src/queue/fifo.ts',
      from: 'HEAD_START_MS = 30_000;',
      to: 'HEAD_START_MS = 40_000;',
      tests: [...bucket, 'packages/core/src/queue/queue-order.property.test.ts'],
    },
    {
      says: 'An attempt that cannot connect returns its tokens',
      file: `${FOLDER}/bucket-limit.ts`,
      from: 'if (neverSent(outcome)) ',
      to: '',
      tests: ['packages/core/src/call/unsent.test.ts'],
    },
    {
      says: 'A request takes its tokens from all units or from none.',
      file: `${FOLDER}/quota-tokens.ts`,
      from: 'if (this.waitMs(cost, nowMs) > 0) {',
      to: 'if (false) {',
      tests: [`${FOLDER}/quota-bucket.test.ts`],
    },
    {
      says: 'A pause empties only the unit that fills fastest.',
      file: `${FOLDER}/quota-tokens.ts`,
      from: 'this.fastest = fillTimes.indexOf(Math.min(...fillTimes));',
      to: 'this.fastest = fillTimes.indexOf(Math.max(...fillTimes));',
      tests: [`${FOLDER}/quota-bucket.test.ts`],
    },
    {
      says: 'after ten minutes, so that none is lost',
      file: `${FOLDER}/quota-tokens.ts`,
      from: 'LONGEST_HELD_MS = 600_000;',
      to: 'LONGEST_HELD_MS = 700_000;',
      tests: [`${FOLDER}/completion-tokens.test.ts`],
    },
    {
      says: '`close()` refuses new and waiting requests',
      file: 'packages/core/src/queue/wait-queue.ts',
      from: 'if (!this.isOpenTo(options.earlier)) throw',
      to: 'if (false) throw',
      tests: [`${FOLDER}/close.test.ts`],
    },
    {
      says: 'gives these their tokens in turn',
      file: 'packages/core/src/queue/wait-queue.ts',
      from: "this.closed === 'reject' ? 0 : GRANTS",
      to: 'this.closed === undefined ? GRANTS : 0',
      tests: [`${FOLDER}/close.test.ts`],
    },
    {
      says: 'as far as the bucket has had room since',
      file: `${FOLDER}/level.ts`,
      from: 'Math.min(surplus, lowest)',
      to: 'surplus',
      tests: [
        'packages/core/src/limits/bucket/give-back.property.test.ts',
        'packages/core/src/limits/bucket/level.test.ts',
      ],
    },
  ]),
  ...promises('docs/strategies/adaptive-rate.md', [
    {
      says: 'a five-hundredth of the highest rate',
      file: RATE,
      from: 'FIRST_SHARE = 1 / 500;',
      to: 'FIRST_SHARE = 1 / 400;',
      tests: ofRate,
    },
    {
      says: 'doubles each second',
      file: RATE,
      from: 'FIRST_STEP = Math.LN2;',
      to: 'FIRST_STEP = Math.LN2 / 2;',
      tests: ofRate,
    },
    {
      says: 'faster after 20 s without a refusal',
      file: RATE,
      from: 'CALM_SECONDS = 20;',
      to: 'CALM_SECONDS = 30;',
      tests: ofRate,
    },
    {
      says: 'The refusals of one round take half at most.',
      file: RATE,
      from: 'LEAST_SHARE = 0.5;',
      to: 'LEAST_SHARE = 0.4;',
      tests: ofRate,
    },
    {
      says: 'Tokens that were saved up are dropped.',
      file: `${FOLDER}/adaptive.ts`,
      from: 'this.#state.roundAtMs > roundAtMs) this.#empty();',
      to: 'this.#state.roundAtMs > roundAtMs) return said;',
      tests: adaptive,
    },
    {
      says: 'a success that leaves nothing counts as a refusal',
      file: `${FOLDER}/adaptive.ts`,
      from: 'if (isRefused || isUsedUp) {',
      to: 'if (isRefused) {',
      tests: adaptive,
    },
    {
      says: 'while requests wait for tokens and succeed',
      file: `${FOLDER}/adaptive.ts`,
      from: 'outcome.status < 400 && waitedMs > 0',
      to: 'outcome.status < 400',
      tests: adaptive,
    },
  ]),
  ...promises('docs/strategies/per-key.md', [
    {
      says: 'Only a limit that is as good as new is evicted',
      file: PER_KEY,
      from: 'return idle || (this.#closed !== undefined && waiting === 0);',
      to: 'return true;',
      tests: perKey,
    },
    {
      says: 'and not during a call',
      file: PER_KEY,
      from: 'if (calls > 0) return false;',
      to: '',
      tests: perKey,
    },
    {
      says: 'ms without use before a key is evicted',
      file: PER_KEY,
      from: 'isFull || nowMs - entry.usedAtMs >= idleMs',
      to: 'true',
      tests: perKey,
    },
    {
      says: 'the origin of its URL',
      file: PER_KEY,
      from: 'keyOf: { check: callable, default: originOf }',
      to: 'keyOf: { check: callable, default: ({ url }) => url }',
      tests: ['packages/core/src/limits/per-key/per-key.property.test.ts'],
    },
    {
      says: 'a warning says once that more are in use',
      file: PER_KEY,
      from: 'this.#hasWarned = true;',
      to: '',
      tests: ['packages/core/src/limits/per-key/per-key-kinds.test.ts'],
    },
  ]),
  ...promises('docs/strategies/server-wait.md', [
    {
      says: 'at random, at most a second',
      file: 'packages/core/src/http/feedback.ts',
      from: 'Math.min(waitMs / 5, 1_000)',
      to: 'waitMs / 5',
      tests: ['packages/core/src/http/retry-after.test.ts', 'packages/core/src/call/decide.test.ts'],
    },
    {
      says: 'After the pause the bucket is empty',
      file: `${FOLDER}/level.ts`,
      from: 'this.#cap(0, nowMs);',
      to: '',
      tests: ['packages/core/src/limits/bucket/changes.test.ts'],
    },
    {
      says: 'for [the backoff](backoff.md) if that is longer',
      file: 'packages/core/src/call/decide.ts',
      from: 'askedMs > backoffMs ?',
      to: 'askedMs > 0 ?',
      tests: ['packages/core/src/call/decide.test.ts'],
    },
    {
      says: "`then: 'cap'` waits `maxMs`",
      file: 'packages/core/src/call/decide.ts',
      from: "return then === 'cap' ? maxMs : undefined;",
      to: 'return undefined;',
      tests: ['packages/core/src/call/decide.test.ts'],
    },
    {
      says: 'a longer wait **ends** the request',
      file: 'packages/core/src/call/decide.ts',
      from: "return stop('retry-after-too-long');",
      to: 'return { retry: true, reason: verdict, delayMs: backoffMs };',
      tests: ['packages/core/src/call/decide.test.ts'],
    },
  ]),
];
