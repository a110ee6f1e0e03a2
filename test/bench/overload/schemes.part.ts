import { type PolicyOptions, retryBudget, throttle } from '@ebb/core';
import { OTHER_WORLDS } from '../../overload/other-worlds.ts';
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

/** The worlds that no other part has. */
const names = Object.keys(WORLDS).filter((name) => !(name in OTHER_WORLDS) && !name.startsWith('a pause'));

export default {
  title: 'A service in trouble, and its clients',
  note: 'All clients have an `attemptTimeoutMs` of one second. 500 requests a second, 0.9 of the capacity, and a queue of two seconds. In the storm half of the capacity is gone for a minute. More than 100 %: requests that were put off are answered as well.',
  columns: COLUMNS,
  ranked: false,
  turned: true,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return names.flatMap((group) => Object.keys(schemes).map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    return (await WORLDS[group]?.(schemes[name] as () => PolicyOptions)) ?? {};
  },
} satisfies Part;
