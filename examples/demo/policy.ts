import { type BackoffStrategy, createPolicy, type EbbEvent, memorystore, tokenBucket } from '@ebb/core';

const googlesRule = memorystore();
/** Five times as fast, to keep the demo short. */
const backoff: BackoffStrategy = (step) => (googlesRule(step) ?? 0) / 5;

export const bucket = tokenBucket({ capacity: 6, refillPerSecond: 20 });

/** Receives the events; set by the current act. */
export const stage: { onEvent(event: EbbEvent): void } = { onEvent: () => {} };
const onEvent = (event: EbbEvent): void => stage.onEvent(event);

/** The policy of all clients. */
export const policy = createPolicy({ maxRetries: 5, backoff, bucket, onEvent });
