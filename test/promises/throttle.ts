import { type Promised, promises } from './promise.ts';

const RULE = 'packages/core/src/limits/throttle/rule.ts';
const LIMIT = 'packages/core/src/limits/throttle/throttle.ts';
const CLASSES = 'packages/core/src/limits/throttle/classes.ts';
const ofRule = ['packages/core/src/limits/throttle/rule.test.ts'];
const ofClasses = ['packages/core/src/limits/throttle/classes.test.ts'];
const ofLimit = [
  'packages/core/src/limits/throttle/throttle.test.ts',
  'packages/core/src/limits/throttle/permit.test.ts',
];

export const THROTTLE: readonly Promised[] = [
  ...promises('docs/strategies/throttle.md', [
    {
      says: '**Trouble** begins with the third failure in a row',
      file: RULE,
      from: 'IN_A_ROW = 3;',
      to: 'IN_A_ROW = 4;',
      tests: ofRule,
    },
    {
      says: 'After 45 s without an outcome all is calm.',
      file: RULE,
      from: 'FORGETS_MS = 45_000;',
      to: 'FORGETS_MS = 60_000;',
      tests: ofRule,
    },
    {
      says: 'A second of failures cuts the level to 0.7 of its value',
      file: RULE,
      from: 'CUT_PER_SECOND = 0.7;',
      to: 'CUT_PER_SECOND = 0.6;',
      tests: ofRule,
    },
    { says: 'to at least 0.3', file: RULE, from: 'FLOOR = 0.3;', to: 'FLOOR = 0.2;', tests: ofRule },
    {
      says: 'Answers raise it to 1 in two seconds',
      file: RULE,
      from: 'OPENS_IN_MS = 2_000;',
      to: 'OPENS_IN_MS = 3_000;',
      tests: ofRule,
    },
    {
      says: 'to 3 in twenty more',
      file: RULE,
      from: 'SLOWER_ABOVE_ONE = 5;',
      to: 'SLOWER_ABOVE_ONE = 4;',
      tests: ofRule,
    },
    {
      says: 'one that takes more than half of the timeout lowers it',
      file: RULE,
      from: 'LATE = 2;',
      to: 'LATE = 1;',
      tests: ofRule,
    },
    {
      says: 'At 3 the trouble is over.',
      file: RULE,
      from: 'if (this.#level >= CALM) this.reset();',
      to: '',
      tests: ofRule,
    },
    {
      says: 'twice as much for a retry after a timeout',
      file: RULE,
      from: 'AFTER_TIMEOUT_COSTS = 2;',
      to: 'AFTER_TIMEOUT_COSTS = 1;',
      tests: ofRule,
    },
    {
      says: 'both add less after a late answer.',
      file: RULE,
      from: 'this.level * (1 - this.#lateness)',
      to: 'this.level',
      tests: ofRule,
    },
    {
      says: 'A skipped attempt adds nothing.',
      file: LIMIT,
      from: 'isFree || rule.take(nowMs, occasion)',
      to: 'isFree || rule.take(nowMs, occasion) || (rule.ask(), false)',
      tests: ofLimit,
    },
    {
      says: 'each answer adds 0.02 to the retry balance',
      file: RULE,
      from: 'CALM_DEPOSIT = 0.02;',
      to: 'CALM_DEPOSIT = 0.03;',
      tests: ofRule,
    },
    {
      says: '2.5 for each request of the last ten seconds',
      file: RULE,
      from: ' RESERVE_PER_REQUEST = 2.5;',
      to: ' RESERVE_PER_REQUEST = 3;',
      tests: ofRule,
    },
    {
      says: 'of the last ten seconds, at least one',
      file: RULE,
      from: 'MIN_RESERVE = 1;',
      to: 'MIN_RESERVE = 2;',
      tests: ofRule,
    },
    {
      says: '[budget](retry-budget.md) in the policy pays in place of balance and reserve.',
      file: LIMIT,
      from: "occasion !== 'first' && policy.budget !== undefined",
      to: 'false',
      tests: ofLimit,
    },
    {
      says: 'a timeout, a lost connection, a 5xx, of retries as well',
      file: LIMIT,
      from: "outcome.kind === 'aborted' || (outcome.kind === 'unknown' && request.url !== '')",
      to: "outcome.kind === 'aborted'",
      tests: ofLimit,
    },
    {
      says: "`'fail'`: the first skipped attempt ends the request",
      file: LIMIT,
      from: "if (this.#setup.whenSkipped === 'fail') return undefined;",
      to: '',
      tests: ofLimit,
    },
    {
      says: 'five of both together, or `maxRetries` if that is more',
      file: LIMIT,
      from: 'Math.max(maxRetries, 5)',
      to: 'Math.max(maxRetries, 6)',
      tests: ofLimit,
    },
    {
      says: 'whatever the `backoff` of the policy is',
      file: LIMIT,
      from: 'BY_DEFAULT({ retry: scheduled,',
      to: 'BY_DEFAULT({ retry: 1,',
      tests: ofLimit,
    },
    {
      says: 'sent all the same if the last outcome was prompt',
      file: LIMIT,
      from: 'isLastChance && rule.isPrompt',
      to: 'isLastChance && false',
      tests: ofLimit,
    },
    {
      says: 'an answer or a failure in less than half of the timeout',
      file: RULE,
      from: 'LATE * lateness < 1',
      to: 'failed === false && LATE * lateness < 1',
      tests: ofRule,
    },
    {
      says: 'A 429 with `Retry-After` or quota fields says nothing about the service.',
      file: LIMIT,
      from: 'if (isQuota(outcome, clock)) return undefined;',
      to: '',
      tests: ofLimit,
    },
    {
      says: 'one method, origin and first segment of the path',
      file: CLASSES,
      from: 'START.exec(url)?.[0]',
      to: 'url',
      tests: ofClasses,
    },
    {
      says: '16 classes have a level each, all others share one',
      file: CLASSES,
      from: 'MOST_CLASSES = 16;',
      to: 'MOST_CLASSES = 17;',
      tests: ofClasses,
    },
  ]),
  ...promises('docs/breakers.md', [
    {
      says: "`['timeout', '503', '503']`",
      file: LIMIT,
      from: 'REPORTED_FAILURES = 3;',
      to: 'REPORTED_FAILURES = 2;',
      tests: ofLimit,
    },
    {
      says: '`isolate()` opens it',
      file: LIMIT,
      from: 'return this.#isIsolated ? 0 : (this.classes.lowest?.level ?? 1);',
      to: 'return this.classes.lowest?.level ?? 1;',
      tests: ofLimit,
    },
    { says: '`close()` closes it', file: LIMIT, from: 'this.classes.reset();', to: '', tests: ofLimit },
  ]),
];
