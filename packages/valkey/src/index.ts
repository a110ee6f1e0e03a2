export { type ValkeyBucket, type ValkeyBucketStats, valkeyBucket } from './bucket.ts';
export { type ValkeyBudget, type ValkeyBudgetStats, valkeyBudget } from './budget.ts';
export type { ValkeyBudgetOptions } from './budget-options.ts';
export type { OnStoreError, StoreEvent, StoreObserver } from './events.ts';
export type { LimitChange } from './limit-changes.ts';
export type { LossReason } from './loss-reason.ts';
export type {
  LeaseOptions,
  ProcessesOptions,
  ValkeyBucketOptions,
} from './options.ts';
export {
  type ValkeyBucketPerKey,
  type ValkeyBucketPerKeyOptions,
  type ValkeyBucketPerKeyStats,
  valkeyBucketPerKey,
} from './per-key.ts';
export type {
  IoredisClient,
  NodeRedisClient,
  StoreClient,
  ValkeyClient,
  ValkeyGlideClient,
} from './store-client.ts';
