export { BucketObject, type ObjectContext, type ObjectStorage } from './bucket-object.ts';
export { type DurableBucket, type DurableBucketStats, durableBucket } from './durable-bucket.ts';
export type { BucketStub, DurableBucketOptions } from './options.ts';
