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
  note: 'Clients and load as above. Near the limit two workers whose times have a long tail get 32 requests a second, 0.8 of their capacity.',
  columns: COLUMNS.slice(0, 1),
  ranked: false,
  turned: true,
  inVirtualTime: true,
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
