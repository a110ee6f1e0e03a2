import { type Promised, promises } from './promise.ts';

const FOLDER = 'packages/core/src/queue';
const ORDER = `${FOLDER}/order.ts`;
const FAIR = `${FOLDER}/fair-queue.ts`;
const inOrder = [`${FOLDER}/queue-order.property.test.ts`];
const fair = [`${FOLDER}/fair-queue.property.test.ts`, `${FOLDER}/fair-order.test.ts`];

export const QUEUES: readonly Promised[] = [
  ...promises('docs/strategies/priorities.md', [
    {
      says: 'the highest `priority` goes first',
      file: ORDER,
      from: '(other - own) * this.#headStartMs',
      to: '(own - other) * this.#headStartMs',
      tests: inOrder,
    },
    { says: 'Among equals retries go first.', file: ORDER, from: '(retry ? 1 : 0)', to: '0', tests: inOrder },
    {
      says: 'A request that has waited `agingMs` longer goes before one of the next higher priority',
      file: ORDER,
      from: 'super(sums, agingMs / 2,',
      to: 'super(sums, agingMs,',
      tests: inOrder,
    },
    {
      says: "or `'drop-oldest'`",
      file: ORDER,
      from: 'one.sinceMs < oldest.sinceMs',
      to: 'one.sinceMs > oldest.sinceMs',
      tests: inOrder,
    },
    {
      says: "`'drop-lowest'`",
      file: ORDER,
      from: 'this.at(lowest.lane) < this.at(lane)',
      to: 'this.at(lowest.lane) <= this.at(lane)',
      tests: inOrder,
    },
    {
      says: 'A share is of cost',
      file: FAIR,
      from: 'this.#sums.weigh(one.cost) * key.pace;',
      to: 'key.pace;',
      tests: fair,
    },
    {
      says: 'by weight',
      file: FAIR,
      from: 'return Math.min(1 / weight, Number.MAX_VALUE);',
      to: 'return 1;',
      tests: fair,
    },
    {
      says: 'and is not saved up',
      file: FAIR,
      from: 'if (key.isNew) key.startsAt = this.now;',
      to: '',
      tests: fair,
    },
    {
      says: 'a full queue refuses the last of the key with the most',
      file: FAIR,
      from: 'own > others ||',
      to: 'own < others ||',
      tests: fair,
    },
  ]),
  ...promises('docs/strategies/concurrency.md', [
    {
      says: 'bounds the requests in flight; the others wait',
      file: 'packages/core/src/limits/concurrency/concurrency.ts',
      from: 'if (this.#inUse === this.#maxConcurrent) return undefined;',
      to: '',
      tests: ['packages/core/src/limits/concurrency/concurrency.test.ts'],
    },
    {
      says: '0 refuses at once',
      file: `${FOLDER}/wait-queue.ts`,
      from: 'this.size >= this.#setup.maxQueue',
      to: 'this.size > this.#setup.maxQueue',
      tests: [`${FOLDER}/wait-queue.test.ts`],
    },
  ]),
  ...promises('docs/core/limits.md', [
    {
      says: 'A request that would wait longer, or beyond the total timeout, is refused at once.',
      file: `${FOLDER}/wait-queue.ts`,
      from: 'Math.max(waitMs ?? 0, passMs) > patienceMs + TOLERANCE_MS',
      to: 'false',
      tests: [`${FOLDER}/wait-queue.test.ts`],
    },
    {
      says: 'gives back what it took if it is not sent',
      file: 'packages/core/src/limits/budget/budget.ts',
      from: '{ cancel: () => budget.refund?.() }',
      to: '{ cancel: () => undefined }',
      tests: ['packages/core/src/call/unsent.test.ts', 'packages/core/src/call/stop.test.ts'],
    },
    {
      says: 'ends with the response that was there',
      file: 'packages/core/src/call/call.ts',
      from: 'if (isAbort || isFault || !outcome) {',
      to: 'if (true) {',
      tests: ['packages/core/src/call/unsent.test.ts'],
    },
  ]),
];
