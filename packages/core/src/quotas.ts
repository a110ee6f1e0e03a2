export { type PolicyBucketOptions, policyBucket } from './limits/policy-bucket/policy-bucket.ts';
