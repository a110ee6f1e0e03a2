import { type Promised, promises } from './promise.ts';

const FOLDER = 'packages/valkey/src';
const LEASE = `${FOLDER}/lease.ts`;
const RETRIES = 'packages/core/src/limits/budget/leased-retries.ts';
const lease = [`${FOLDER}/lease.test.ts`];
const retries = ['packages/core/src/limits/budget/leased-retries.test.ts'];

export const SHARED: readonly Promised[] = [
  ...promises('docs/strategies/shared-bucket.md', [
    {
      says: 'After an error, or a call longer than `timeoutMs`, leased tokens are spent first.',
      file: LEASE,
      from: 'if (lost !== undefined && to.sentAtMs >= s.answeredAtMs)',
      to: 'if (lost !== undefined)',
      tests: [...lease, `${FOLDER}/stale.test.ts`],
    },
    {
      says: '**A store that loses data** gets back what the processes know',
      file: LEASE,
      from: 'outage.isForgetful ? PROBATION_MS : 0',
      to: '0',
      tests: [...lease, `${FOLDER}/store-loss.test.ts`],
    },
    {
      says: 'no token is spent twice',
      file: LEASE,
      from: 'one.left -= taken;',
      to: '',
      tests: [...lease, `${FOLDER}/leased.property.test.ts`],
    },
    {
      says: 'and returns the rest',
      file: LEASE,
      from: 'nowMs >= one.expiresAtMs',
      to: 'false',
      tests: lease,
    },
    {
      says: 'granted at the share of their process, from empty',
      file: LEASE,
      from: 'capacity: capacity * part',
      to: 'capacity: capacity * 1e6',
      tests: [`${FOLDER}/outage-rule.test.ts`],
    },
    {
      says: 'rejected if it never reached the store and has no `localShare`',
      file: LEASE,
      from: "share === 0 ? 'closed' : onStoreError",
      to: "false ? 'closed' : onStoreError",
      tests: [...lease, `${FOLDER}/cold-start.test.ts`],
    },
    {
      says: 'there is no limit',
      file: LEASE,
      from: "outage.mode === 'open' ? 'open' : undefined",
      to: 'undefined',
      tests: [`${FOLDER}/outage-rule.test.ts`],
    },
    {
      says: 'the longest delay before a lost store is tried again',
      file: LEASE,
      from: 'Math.min(retryMs, FIRST_RETRY_MS * 2 ** retries)',
      to: 'FIRST_RETRY_MS * 2 ** retries',
      tests: [`${FOLDER}/outage-rule.test.ts`],
    },
    {
      says: 'A pause reaches the other processes with their next call',
      file: LEASE,
      from: 'if (pausedMs > 0 || nowMs < s.pausedAtMs) movePause(s, nowMs + pausedMs, nowMs);',
      to: '',
      tests: [`${FOLDER}/pause.test.ts`],
    },
  ]),
  ...promises('docs/strategies/shared-budget.md', [
    {
      says: 'A process leases a retry for each request under way',
      file: RETRIES,
      from: 'if (this.leased(nowMs) < this.#open) this.#isAsked = true;',
      to: '',
      tests: retries,
    },
    {
      says: 'A process makes at most one call per `aheadMs`',
      file: RETRIES,
      from: '? this.#calledAtMs + this.#terms.aheadMs',
      to: '? this.#calledAtMs',
      tests: retries,
    },
    { says: 'none is spent twice', file: RETRIES, from: 'oldest.left -= 1;', to: '', tests: retries },
    {
      says: 'how long a success counts, and a lease',
      file: RETRIES,
      from: 'this.#batches[0].untilMs <= nowMs',
      to: 'false',
      tests: retries,
    },
    {
      says: 'returns it at its end',
      file: RETRIES,
      from: 'if (this.#open > 0) this.#open -= 1;',
      to: '',
      tests: retries,
    },
    {
      says: 'never reached the store has a reserve of 0.1',
      file: `${FOLDER}/budget-local.ts`,
      from: 'COLD_RESERVE = 0.1;',
      to: 'COLD_RESERVE = 1;',
      tests: [`${FOLDER}/budget-local.test.ts`],
    },
  ]),
];
