import type { RetryBudget } from '@ebb/core';
import { seededRandom, type VirtualClock, virtualClock } from '@ebb/core/testing';
import { type ValkeyBudget, valkeyBudget } from '../src/budget.ts';
import type { ValkeyBudgetOptions } from '../src/budget-options.ts';
import type { StoreEvent } from '../src/events.ts';
import { budgetModel } from './budget-model.ts';
import { ModelStore } from './model-store.ts';

type Options = Partial<Omit<ValkeyBudgetOptions, 'client'>>;

/** A fleet that shares a retry budget under a virtual clock. */
export interface BudgetFleet {
  readonly clock: VirtualClock;
  readonly keys: Map<string, string>;
  readonly store: ModelStore;
  /** The store events of all processes. */
  readonly events: StoreEvent[];
  /** Starts a process with its own connection to the store. */
  process(more?: Options): ValkeyBudget & { store: ModelStore };
}

export function budgetFleet(options: Options = {}): BudgetFleet {
  const clock = virtualClock({ startMs: 1e9 });
  const keys = new Map<string, string>();
  const store = new ModelStore(clock, keys, budgetModel);
  const events: StoreEvent[] = [];
  const onStoreEvent = (event: StoreEvent): void => void events.push(event);
  const random = seededRandom(1);
  const common = { key: 'k', clock, random, onStoreEvent, ...options };
  const process = (more: Options = {}): ValkeyBudget & { store: ModelStore } => {
    const connection = new ModelStore(clock, keys, budgetModel);
    return Object.assign(valkeyBudget({ client: connection, ...common, ...more }), { store: connection });
  };
  return { clock, keys, store, events, process };
}

/** Withdraws until the budget refuses; returns how many retries it allowed. */
export function withdrawAll(budget: RetryBudget): number {
  let count = 0;
  while (count < 10_000 && budget.withdraw()) count += 1;
  return count;
}

export function times(count: number, act: () => void): void {
  for (let time = 0; time < count; time += 1) act();
}
