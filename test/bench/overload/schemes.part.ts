import { type PolicyOptions, retryBudget, throttle } from '@ebb/core';
import { WORLDS } from '../../overload/worlds.ts';
import type { Part } from '../measure/part.ts';
import { COLUMNS } from './columns.ts';

const timeout = { attemptTimeoutMs: 1_000 };

const schemes: Readonly<Record<string, () => PolicyOptions>> = {
  'no retries': () => ({ ...timeout, maxRetries: 0 }),
  default: () => timeout,
  'retryBudget()': () => ({ ...timeout, budget: retryBudget() }),
  'throttle()': () => ({ ...timeout, throttle: throttle() }),
  'throttle(), totalTimeoutMs 10 s': () => ({ ...timeout, totalTimeoutMs: 10_000, throttle: throttle() }),
  "throttle(), whenSkipped 'fail'": () => ({ ...timeout, throttle: throttle({ whenSkipped: 'fail' }) }),
  'throttle(), reserve 0.3': () => ({ ...timeout, throttle: throttle({ reserve: 0.3 }) }),
  'throttle() and retryBudget()': () => ({ ...timeout, throttle: throttle(), budget: retryBudget() }),
};

export default {
  title: 'A service in trouble, and its clients',
  note: 'All clients have an `attemptTimeoutMs` of one second. 500 requests a second, 0.9 of the capacity.',
  columns: COLUMNS,
  ranked: false,
  rounds: 1,
  async rows() {
    return Object.keys(WORLDS).flatMap((group) => Object.keys(schemes).map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    return (await WORLDS[group]?.(schemes[name] as () => PolicyOptions)) ?? {};
  },
} satisfies Part;
