import { type BackoffStrategy, createPolicy, type EbbEvent, memorystore, tokenBucket } from '@ebb/core';

const googlesRule = memorystore();
/** Five times as soon, so that nobody has to wait long for the end of a demo. */
const backoff: BackoffStrategy = (step) => (googlesRule(step) ?? 0) / 5;

export const bucket = tokenBucket({ capacity: 6, refillPerSecond: 20 });

/** Where events go: to the act that is on. */
export const stage: { onEvent(event: EbbEvent): void } = { onEvent: () => {} };
const onEvent = (event: EbbEvent): void => stage.onEvent(event);

/** The one policy. */
export const policy = createPolicy({ maxRetries: 5, backoff, bucket, onEvent });
