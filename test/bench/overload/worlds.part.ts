import { type PolicyOptions, retryBudget, throttle } from '@ebb/core';
import { OTHER_WORLDS } from '../../overload/other-worlds.ts';
import type { Part } from '../measure/part.ts';
import { COLUMNS } from './columns.ts';

const timeout = { attemptTimeoutMs: 1_000 };

const schemes: Readonly<Record<string, () => PolicyOptions>> = {
  'no retries': () => ({ ...timeout, maxRetries: 0 }),
  default: () => timeout,
  'retryBudget()': () => ({ ...timeout, budget: retryBudget() }),
  'throttle()': () => ({ ...timeout, throttle: throttle() }),
  'throttle() and retryBudget()': () => ({ ...timeout, throttle: throttle(), budget: retryBudget() }),
};

export default {
  title: 'Services that the throttle was not made for',
  note: 'All clients have an `attemptTimeoutMs` of one second. 500 requests a second, 0.9 of the capacity.',
  columns: COLUMNS,
  ranked: false,
  rounds: 1,
  async rows() {
    return Object.keys(OTHER_WORLDS).flatMap((group) =>
      Object.keys(schemes).map((name) => ({ group, name })),
    );
  },
  async measure({ group, name }) {
    return (await OTHER_WORLDS[group]?.(schemes[name] as () => PolicyOptions)) ?? {};
  },
} satisfies Part;
