import { type Promised, promises } from './promise.ts';

const FOLDER = 'packages/hedge/src';
const RACE = `${FOLDER}/race.ts`;
const RULE = `${FOLDER}/rule.ts`;
const PLAN = `${FOLDER}/hedge-plan.ts`;
const ofRule = [`${FOLDER}/rule.test.ts`];
const hedged = ['packages/hedge/src/fetch/hedged.test.ts'];

export const HEDGES: readonly Promised[] = promises('docs/strategies/hedges.md', [
  {
    says: 'a throttle that is closed',
    file: RACE,
    from: " || (own !== undefined && own.state !== 'closed')",
    to: '',
    tests: hedged,
  },
  {
    says: 'A hedge is a second try of a slow request, sent while the first is under way.',
    file: PLAN,
    from: 'if (this.next !== this && !this.#isArmed) this.#arm(this.next.dueMs - nowMs);',
    to: '',
    tests: [`${FOLDER}/hedge-plan.test.ts`, ...hedged],
  },
  {
    says: 'It gets these at once, or is not sent',
    file: RACE,
    from: 'won ? first : outcome)',
    to: 'first)',
    tests: hedged,
  },
  {
    says: 'The first response that is no failure wins',
    file: RACE,
    from: "return verdict === 'refused' || verdict === 'transient';",
    to: 'return false;',
    tests: hedged,
  },
  {
    says: 'up to ten are saved',
    file: RULE,
    from: 'MOST_TOKENS = 10;',
    to: 'MOST_TOKENS = 11;',
    tests: ofRule,
  },
  {
    says: 'a hedge that wins gives its token back',
    file: RACE,
    from: 'if (winner !== undefined) pay(this.#key.state, 1);',
    to: '',
    tests: hedged,
  },
  {
    says: 'a request earns 0.015',
    file: PLAN,
    from: 'share: { check: positive, default: 0.015 }',
    to: 'share: { check: positive, default: 0.03 }',
    tests: hedged,
  },
  {
    says: 'the delay is learned from twenty',
    file: RULE,
    from: 'AT_FIRST = 20;',
    to: 'AT_FIRST = 19;',
    tests: ofRule,
  },
  {
    says: '0.995 with none',
    file: RULE,
    from: 'SPENT_QUANTILE = 0.995;',
    to: 'SPENT_QUANTILE = 0.95;',
    tests: ofRule,
  },
  {
    says: "a retry of the policy's budget",
    file: RACE,
    from: "call.permits?.planRetry({ reason: 'transient', delayMs: 0 }) === undefined",
    to: 'true',
    tests: hedged,
  },
  {
    says: 'tokens of its bucket',
    file: RACE,
    from: 'call.permits?.take() === undefined &&',
    to: '',
    tests: hedged,
  },
  {
    says: 'Only `GET`, `HEAD`, `OPTIONS` and `QUERY` are hedged.',
    file: PLAN,
    from: "default: ['GET', 'HEAD', 'OPTIONS', 'QUERY'],",
    to: "default: ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'POST'],",
    tests: hedged,
  },
  {
    says: 'hedges of one try',
    file: RACE,
    from: 'this.#hedges.push(hedge) < maxHedges',
    to: 'this.#hedges.push(hedge) <= maxHedges',
    tests: hedged,
  },
  {
    says: 'and needs `trustedOrigins`',
    file: RACE,
    from: 'if (isAway && !isTrusted(policy, request)) return;',
    to: '',
    tests: hedged,
  },
]);
